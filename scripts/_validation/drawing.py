"""What the plots of the cases share."""


def finish(figure, axes):
    """Legends and layout of a figure with these axes."""
    for each in axes:
        each.legend(fontsize="small")
    figure.tight_layout()
