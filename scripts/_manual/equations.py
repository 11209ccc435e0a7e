"""Converts equations in plain Unicode, in indented blocks of a page, to MathML for the browser.

A block is readable as text, `x = bₙ/(p d) (1 + u²)`. This module finds indices, powers, roots and fractions in it.
Each piece between operators becomes a separate formula, so that lines can break there.
"""

import html
import re

SIGNS = set("λμνωγαβδξεκφχρστθηπΔΣΓ√½⋅×⊥‖∝∞≤≥±−⁻₀₁₂ₙₜᵢⱼ²³ᵀ")
NO_EQUATION = re.compile(r"scripts/|scree-|build/|--|\[ owned|\|  ")
FUNCTIONS = {"cos", "sin", "tan", "log", "exp", "max", "min", "det", "sgn", "atan2"}
GREEK = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "theta": "θ", "lambda": "λ", "mu": "μ",
         "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "chi": "χ", "omega": "ω", "Delta": "Δ"}  # fmt: skip
# Words of two letters. Longer sequences of letters are words unless they are functions or Greek letters.
SHORT_WORDS = {"as", "at", "by", "if", "in", "is", "it", "no", "of", "on", "or", "so", "the", "to"}
LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉ₙₜₖₐᵢⱼₓₒ", "0123456789ntkaijxo"))
RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀᶠⁿ", "0123456789−+Tfn"))
PAIRS = {"(": ")", "[": "]", "{": "}", "‖": "‖", "|": "|"}
LOW, HIGH = "".join(LOWERED), "".join(RAISED)
DIFFERENTIAL = re.compile(r"d[²³]?[^\W\d_](?![A-Za-z])[\u0300-\u036f]?")  # dt, d²x
TOKEN = re.compile(
    rf"(?P<low>[{LOW}]+(?:,[A-Z{LOW}]+(?!\w))?)|_(?P<index>[^\W{LOW}{HIGH}]+|\([^()]*\))"
    rf"|(?P<high>[{HIGH}]+|'+)|(?P<power>\^)"
    rf"|(?P<number>\d+(?:\.\d+)?|½)|(?P<letter>[^\W\d_{LOW}{HIGH}][\u0300-\u036f]?)|(?P<space>\s+)|(?P<sign>.)"
)


def is_equation(block):
    """Whether an indented block contains equations, and not commands, files or a drawing."""
    return bool(SIGNS & set(block) or re.search(r" = .*(\)\^|\^\(|sqrt\()", block)) and not NO_EQUATION.search(block)


def _mi(text):
    return f"<mi>{html.escape(text)}</mi>"


def _mo(text, form=""):
    return f"<mo{form}>{html.escape(text)}</mo>"


def _tokens(text):
    """[(kind, text)]; the letters of a word or a function are one token."""
    tokens, begin = [], 0
    while begin < len(text):
        word = re.match(r"[A-Za-z][A-Za-z]+(?:-[A-Za-z]+)*\d?(?![A-Za-z\u0300-\u036f])", text[begin:])
        is_named = word and (word[0] in FUNCTIONS or word[0] in GREEK or word[0] in ("eps", "sqrt"))
        differential = DIFFERENTIAL.match(text, begin)
        if differential and not (word and len(word[0]) > 2):
            tokens.append(("differential", differential[0]))
            begin = differential.end()
            continue
        if is_named:
            tokens.append(("named", word[0]))
        elif word and (len(word[0]) > 2 or word[0] in SHORT_WORDS):
            tokens.append(("word", word[0]))
        else:
            match = TOKEN.match(text, begin)
            kind = match.lastgroup
            tokens.append((kind, match[kind]))
            begin = match.end()
            continue
        begin += word.end()
    return tokens


class _FormulaParser:
    """Converts the tokens of one formula from left to right to MathML."""

    def __init__(self, text):
        self.tokens, self.position = _tokens(text), 0

    def peek(self):
        return self.tokens[self.position] if self.position < len(self.tokens) else ("end", "")

    def take(self):
        self.position += 1
        return self.tokens[self.position - 1]

    def row(self, closing=None):
        """Reads up to, but not including, a closing bracket. Makes a fraction of the atoms on both sides of a slash."""
        parts = []
        while self.peek()[0] != "end" and not (closing and self.peek() == ("sign", closing)):
            kind, text = self.peek()
            if kind == "space":
                self.take()
            elif (kind, text) == ("sign", "/") and parts:
                self.take()
                parts.append(f"<mfrac>{self._without_brackets(parts.pop())}{self._without_brackets(self.atom())}</mfrac>")
            else:
                parts.append(self.atom())
        return "".join(f"<mrow>{part[1]}</mrow>" if isinstance(part, tuple) else part for part in parts)

    @staticmethod
    def _without_brackets(part):
        """A group without its round brackets, for a fraction."""
        return f"<mrow>{part[2] if isinstance(part, tuple) else part}</mrow>"

    def atom(self):
        """Reads a letter, number, function, root or group with its indices and powers.

        A group without indices and powers is a tuple (…, with brackets, without brackets).
        """
        kind, text = self.take()
        if kind == "space":
            return self.atom() if self.peek()[0] != "end" else ""
        if kind == "word":
            return f"<mtext>&nbsp;{text}&nbsp;</mtext>"
        if text in ("√", "sqrt"):
            return f"<msqrt>{self._without_brackets(self.atom())}</msqrt>"
        if kind == "sign":
            if text in PAIRS and ("sign", PAIRS[text]) in self.tokens[self.position :]:
                return self._group(text)
            return _mo("−" if text == "-" else text)
        if kind == "differential":
            power = f"<msup>{_mi('d')}<mn>{RAISED[text[1]]}</mn></msup>" if text[1] in "²³" else _mi("d")
            return f"<mrow>{power}{self._with_scripts(_mi(text.lstrip('d²³')))}</mrow>"
        if kind == "number":
            return self._with_scripts(f"<mn>{text}</mn>")
        if kind == "named":
            number = re.search(r"\d$", text)
            base = _mi(GREEK.get(text, text)) if not number else _mi(text)
            return self._with_argument(self._with_scripts(base), text)
        if kind == "letter":
            if len(text) == 2:  # a hat or a bar above it
                accent = {"\u0302": "^", "\u0304": "¯"}.get(text[1], text[1])
                return self._with_scripts(f'<mover accent="true">{_mi(text[0])}<mo>{accent}</mo></mover>')
            if self.peek()[0] == "number" and text.isupper():  # T0
                return self._with_scripts(f"<msub>{_mi(text)}<mn>{self.take()[1]}</mn></msub>")
            return self._with_argument(self._with_scripts(_mi(text)), text)
        return _mo(text)

    def _with_argument(self, function, text):
        """Makes one atom of a function and its argument, f(x)."""
        if self.peek() == ("sign", "(") and text not in GREEK:
            self.take()
            group = self._group("(")
            return f"<mrow>{function}{group[1] if isinstance(group, tuple) else group}</mrow>"
        return function + ('<mspace width="0.17em"></mspace>' if text in FUNCTIONS else "")

    def _group(self, opening):
        content = self.row(PAIRS[opening])
        if self.peek()[0] == "end":
            return _mo(opening) + content
        self.take()
        bracketed = f"{_mo(opening)}{content}{_mo(PAIRS[opening])}"
        element = self._with_scripts(f"<mrow>{bracketed}</mrow>")
        if element != f"<mrow>{bracketed}</mrow>":
            return element
        return ("group", bracketed, content if opening == "(" else bracketed)

    def _with_scripts(self, base):
        low = high = ""
        while True:
            kind, text = self.peek()
            if kind == "low" and not low:
                self.take()
                low = f"<mtext>{''.join(LOWERED.get(c, c) for c in text)}</mtext>"
            elif kind == "index" and not low:
                self.take()
                low = f"<mtext>{html.escape(text.strip('()'))}</mtext>"
            elif kind == "high":
                self.take()
                high += "".join(_mo("′") if c == "'" else f"<mtext>{RAISED[c]}</mtext>" for c in text)
            elif kind == "power":
                self.take()
                sign = _mo("−") if self.peek()[1] in "−-" and self.take() else ""
                high += sign + self._without_brackets(self.atom())
            else:
                break
        if low and high:
            return f"<msubsup>{base}{low}<mrow>{high}</mrow></msubsup>"
        if low:
            return f"<msub>{base}{low}</msub>"
        return f"<msup>{base}<mrow>{high}</mrow></msup>" if high else base


def pieces(text):
    """The parts of a line between which it may break: outside brackets before operators such as = + − and after commas."""
    parts, depth, begin = [], 0, 0
    for k, sign in enumerate(text):
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        elif sign in "=+−≤≥≈∝⊥<>" and depth == 0 and text[k - 1 : k] == " " and text[k + 1 : k + 2] == " ":
            is_short = sign == "=" and k - begin < 8  # x = ... stays together
            if text[:k].count("|") % 2 == 0 and text[begin:k].strip() and not is_short:
                parts.append(text[begin:k])
                begin = k
        elif sign in ",;" and depth == 0 and text[k + 1 : k + 2] == " ":
            parts.append(text[begin : k + 1])
            begin = k + 1
    return [piece for piece in parts + [text[begin:]] if piece.strip()]


def is_words(text):
    """Whether a text is units, equation numbers or plain words, and not mathematics."""
    if re.fullmatch(r"\[[\w/ .()]+\][,.]?( \(\d+\))*|\(.*operator\),?|(\(\d+\),? ?)+", text):
        return True
    words = [word for word in re.findall(r"[^\W\d_]+", text) if word not in FUNCTIONS]
    symbols = re.search(r"\b(?!a\b)[^\W\d_]\b|[=<>≤≥+_½]", text) or set(text) & set(LOW + HIGH)
    return any(len(word) > 3 for word in words) and not symbols


def formula(text):
    """One piece as a <math> element, or as text if it is words; a leading operator keeps its space on both sides."""
    text = text.strip().replace(" * ", " ")
    if is_words(text):
        return html.escape(text)
    first, form = "", ' form="infix"'
    if text[:1] in "=+−≤≥≈∝⊥<>" and text[1:2] == " ":
        first, text = _mo(text[0], form), text[2:]
        first = "<mrow></mrow>" + first  # infix needs something before it
    return f'<math><mstyle displaystyle="true">{first}{_FormulaParser(text).row()}</mstyle></math>'


def line(text):
    """A line as formulas between which the page may break it."""
    gaps = re.split(r"\s{2,}", text.strip())
    return '<span class="gap"></span> '.join(" ".join(map(formula, pieces(gap))) for gap in gaps)


def block(text):
    """The lines of an indented block as one HTML element on one line; aligned columns stay columns."""
    lines = [row.strip() for row in text.strip("\n").splitlines() if row.strip()]
    columns = [re.split(r"\s{3,}", row) for row in lines]
    if len(lines) > 2 and len({len(row) for row in columns}) == 1 and len(columns[0]) > 1:
        rows = ("<tr>" + "".join(f"<td>{line(cell)}</td>" for cell in row) + "</tr>" for row in columns)
        return f'<div class="equation"><table>{"".join(rows)}</table></div>'
    return '<div class="equation">' + "".join(f"<div>{line(row)}</div>" for row in lines) + "</div>"


def render(text):
    """The page with its blocks of equations as MathML; a block in a list keeps the indentation of the list."""
    def replace(match):
        if not is_equation(match[0]):
            return match[0]
        indent = len(re.match(r" *", match[0].lstrip("\n"))[0])
        return " " * (indent - 4) + block(match[0]) + "\n"

    fenced = re.split(r"(^```[\s\S]*?^```)", text, flags=re.M)
    for k in range(0, len(fenced), 2):
        fenced[k] = re.sub(r"(?<=\n\n)(?:^ {4,}\S.*\n)+", replace, fenced[k], flags=re.M)
    return "".join(fenced)
