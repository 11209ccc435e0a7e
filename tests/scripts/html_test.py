"""Tests of scripts/scree/html.py: significant digits, formulas, contents, verdicts, pictures."""

import base64
import io
import pathlib
import re
import tempfile
import unittest

import browser
from script_test import skipped_unless

import numpy as np
import PIL.Image
import scree.figure
import scree.html
from scree.html import State, Verdict


class Digits(unittest.TestCase):
    def test_rounding_errors_have_two_digits_and_whole_numbers_no_decimals(self):
        for value, text in ((8.52651e-16, "8.5e-16"), (0.714285714, "0.7143"), (4000.0, "4000"), (0.0, "0"),
                            (-1.23456e-12, "-1.2e-12"), (246992.0, "246992"), (float("nan"), "nan")):
            self.assertEqual(scree.html.number(value), text)

    def test_tolerance_sets_the_digits(self):
        for value, scale, text in ((0.7142912, 0.0071, "0.71429"), (1.97, 0.1, "1.970"), (35.3941, 1.76, "35.39"),
                                   (8.5e-16, 1e-12, "8.5e-16"), (2.909e-7, 1e-6, "2.909e-07"), (5.0, 0.0, "5"), (2.5, float("nan"), "2.5")):
            self.assertEqual(scree.html.round_value(value, scale), text)

    def test_numbers_in_tables_have_their_own_class(self):
        cells = ["0.5 ± 0.1", "-3", ">2", "(4.5 ± 0.5)e-06", "(-4.5 ± 0.5)e-06", "nan", "", "(none)", "wall"]
        result = re.findall(r"<td( class=number)?>", scree.html.table(["a"], [["", cell] for cell in cells], ""))
        self.assertEqual([bool(number) for number in result], 7 * [True] + 2 * [False])

    def test_formulas_become_mathml(self):
        text = scree.html.formula("T = T_0/(1 + t/tau)^(5/3), λ_n <= mu^2 v_in")
        for words in ("T<sub>0</sub>", "&tau;", "<sup>5/3</sup>", "λ<sub>n</sub>", "&lt;=", "&mu;<sup>2</sup>",
                      "v<sub>in</sub>"):
            self.assertIn(words, text)


class Page(unittest.TestCase):
    def test_contents_link_to_headings(self):
        parts = [scree.html.heading(title) for title in ("Key figures", "a < b", "Third one")]
        page = scree.html.page("Title", parts)
        links, anchors = re.findall(r'href="#([^"]+)"', page), re.findall(r'<h2 id="([^"]+)"', page)
        self.assertEqual((len(links), links), (3, anchors))
        self.assertNotIn("<nav>", scree.html.page("Title", parts[:2]))

    def test_verdicts_have_a_word_and_a_colour(self):
        text = scree.html.table(["a", "b"], [["row", Verdict(State.OFF, "<off>")]], "c")
        self.assertIn('<span class="verdict off">&lt;off&gt;</span>', text)
        self.assertIn('"verdict held">fine</span> all', scree.html.at_a_glance([(Verdict(State.HELD, "fine"), "all")]))

    def test_numbers_are_aligned_to_the_right(self):
        text = scree.html.table(["a", "b", "c"], [["row", "-1.5 ± 0.2", "2 ways"], ["other", "text", "−3"]], "c")
        self.assertEqual(text.count("class=number"), 3)

    def test_compressed_pictures_have_smooth_shades(self):
        greys = np.broadcast_to(np.arange(60, 230, dtype=np.uint8)[None, :, None], (40, 170, 3))
        scale = (255.0 * scree.figure.plt.get_cmap("viridis")(np.linspace(0.0, 1.0, 170))[:, :3]).astype(np.uint8)
        picture = np.concatenate([greys, np.broadcast_to(scale, (40, 170, 3))]).astype(np.uint8)
        file = io.BytesIO()
        PIL.Image.fromarray(picture).save(file, "png")
        with PIL.Image.open(io.BytesIO(scree.html._compressed_png(file))) as small:
            difference = np.abs(np.asarray(small.convert("RGB")).astype(int) - picture)
        self.assertLess(difference.mean(), 1.0)
        self.assertLess(difference.max(), 8)

    def test_picture_is_svg_unless_png_is_much_smaller(self):
        figure, axes = scree.figure.plt.subplots()
        axes.plot([1, 2])
        self.assertIn("data:image/svg+xml", scree.html.picture(figure, "few lines"))
        figure, axes = scree.figure.plt.subplots()
        axes.scatter(range(9000), range(9000))
        text = scree.html.picture(figure, "many marks")
        data = base64.b64decode(re.search(r"data:image/png;base64,([^\"]+)", text)[1])
        width = int.from_bytes(data[16:20], "big")
        # Twice the pixels at which it is shown, to be sharp on any screen.
        self.assertEqual(width, 2 * int(re.search(r'width="(\d+)"', text)[1]))

    def test_labels_longer_than_their_axis_are_not_cut(self):
        figure, (axes,) = scree.figure.panels(1, 1, (3.0, 1.0))
        axes.set_ylabel("energy of the mass and of the modes [mJ]")
        label, box = axes.yaxis.label, scree.figure.draw(figure, 100)
        extent = label.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
        scree.figure.plt.close(figure)
        self.assertGreater(extent.height, 2.0)
        self.assertTrue(box.y0 <= extent.y0 and extent.y1 <= box.y1)


@skipped_unless(browser.program(), "chromium is not installed")
class InBrowser(unittest.TestCase):
    def test_page_is_not_wider_than_a_narrow_window(self):
        figure, axes = scree.figure.plt.subplots(figsize=(14.0, 3.0))
        axes.plot([1, 2])
        parts = [scree.html.heading("A heading of some length " * 3), scree.html.picture(figure, "a wide picture"),
                 scree.html.table(["quantity"] * 12, [["a number", *["0.123456 ± 0.012"] * 11]], "a wide table"),
                 scree.html.details("folded", "x" * 300)]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "page.html"
            path.write_text(scree.html.page("Title", parts, [scree.html.paragraph("word " * 90)]), encoding="utf-8")
            for width in (1200, 400):
                with self.subTest(width=width), browser.Browser(path, width, 900) as page:
                    page.wait_for("document.images.length === 1 && document.images[0].complete")
                    self.assertLessEqual(page.value("document.documentElement.scrollWidth"), width)
                    self.assertGreater(page.value("document.images[0].clientWidth"), 0.8 * min(width, 1100))


if __name__ == "__main__":
    unittest.main()
