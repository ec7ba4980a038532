"""Nothing is cut off, covered, or told by a colour that cannot be seen."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

import onnx_explorer as ox
from tests.browser.panels import layers

# What WCAG 2 asks for, of texts of this size.
CONTRAST = 4.5
# Of every element with words of its own, in its colours as they are painted: how they stand out, and the words.
CONTRASTS = """
root => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const painted = colour => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const behind = element => {
    const colour = painted(getComputedStyle(element).backgroundColor);
    if (colour[3] === 255) return colour;
    if (colour[3] !== 0) throw new Error(`${element.className} can be seen through`);
    return behind(element.parentElement);
  };
  const bright = colour => colour.slice(0, 3).map(part => part / 255)
    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  return [...root.querySelectorAll('*')]
    .filter(one => [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()))
    .map(one => [painted(getComputedStyle(one).color), behind(one), one.textContent])
    .map(([ink, paper, text]) => [bright(ink), bright(paper), text])
    .map(([ink, paper, text]) =>
      [(Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05), text]);
}
"""


def colour_of(element: Locator, name: str) -> str:
    return element.evaluate("(element, name) => getComputedStyle(element)[name]", name)


def test_a_failure_covers_nothing_below_it_in_a_narrow_cell(live):
    page = live(ox.explore(ox.example("shape_error")), width=600).page
    page.locator("[data-action=run]").click()
    again = page.get_by_role("button", name="try again")
    again.wait_for()
    end = again.evaluate("button => button.getBoundingClientRect().bottom")
    below = page.locator(".ox-inspection").evaluate("it => it.getBoundingClientRect().top")
    assert end <= below


def test_a_hint_is_whole_at_the_edges_of_the_drawing(live):
    page = live(ox.explore(ox.example("digits")), width=700).page
    page.set_viewport_size({"width": 700, "height": 450})
    page.locator(".ox-canvas").focus()
    page.keyboard.press("f")
    hint = page.locator(".ox-tooltip")
    page.locator(".ox-card[data-kind=output]").hover()
    hint.wait_for()
    assert hint.evaluate("""hint => {
        const [own, around] = [hint, hint.parentElement].map(one => one.getBoundingClientRect());
        return own.top >= around.top && own.bottom <= around.bottom
            && own.left >= around.left && own.right <= around.right;
    }""")


def test_no_wire_shows_between_a_label_and_its_value(live):
    g = ox.build.graph("short", opset=20)
    x = g.input("x", "int64[]")
    g.output(g.Add(g.Neg(x, name="less"), x, name="sum"), "y")
    shown = live(ox.explore(g.model(), {"x": np.array(3)}))
    shown.page.locator("[data-action=run]").click()
    label = shown.root.locator(".ox-label:has(.ox-miniature)").first
    label.wait_for()
    words, value, back = (
        label.locator(each).evaluate("it => it.getBoundingClientRect().toJSON()")
        for each in (".ox-text-label", ".ox-miniature-face", ".ox-label-back")
    )
    assert back["left"] <= words["left"]
    assert back["right"] >= value["left"]


def test_labels_of_edges_leave_the_sign_of_what_is_otherwise_free(live):
    page = live(ox.explore(layers())).page
    page.locator("[data-box-id$='layer.0/act']").click()
    page.locator(".ox-canvas").focus()
    page.keyboard.press("g")
    sign = page.locator("[data-box-id$='layer.0/act'] .ox-odd circle")
    sign.wait_for()
    assert sign.evaluate("""sign => {
        const { left, right, top, bottom } = sign.getBoundingClientRect();
        return [...document.querySelectorAll('.ox-label-back')]
            .map(back => back.getBoundingClientRect())
            .every(back => back.right <= left || back.left >= right
                || back.bottom <= top || back.top >= bottom);
    }""")


def test_a_contradiction_is_red_when_a_run_has_shown_the_type_too(live):
    page = live(ox.explore(ox.example("shape_error"))).page
    label = page.locator(".ox-label[data-mark=mismatch] .ox-text-label")
    before = colour_of(label, "fill")
    page.locator("[data-action=run]").click()
    page.locator(".ox-label[data-mark=mismatch][data-observed]").wait_for()
    assert colour_of(label, "fill") == before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_the_browser_draws_is_as_light_or_dark_as_all_else(live, scheme: str):
    page = live(ox.explore(ox.example("digits")), scheme=scheme).page
    assert colour_of(page.locator(".ox-root"), "colorScheme") == scheme


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_legends_over_the_drawing_can_be_read(live, scheme: str):
    page = live(ox.explore(ox.example("digits")), scheme=scheme, width=600).page
    page.locator(".ox-canvas").focus()
    for key, legend in (("v", ".ox-key"), ("?", ".ox-help")):
        page.keyboard.press(key)
        shown = page.locator(legend)
        expect(shown).to_be_visible()
        told = shown.evaluate(CONTRASTS)
        assert len(told) > 3
        assert [(text, ratio) for ratio, text in told if ratio < CONTRAST] == []


def test_a_frame_around_both_branches_does_not_count_the_nodes_of_one(live):
    shown = live(ox.explore(ox.example("loop_if")))
    shown.press("Enter", "e", "e", "e", "e")
    around = shown.page.locator(".ox-header", has_text="If choose")
    expect(around).to_be_visible()
    expect(around).to_have_text("If choose")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_chosen_for_all_pages_are_those_of_the_drawing(live, scheme: str):
    shown = live(ox.explore(ox.example("digits")), scheme=scheme)
    page = shown.page
    other = "dark" if scheme == "light" else "light"
    # The page says one thing, who looks at it another.
    page.emulate_media(color_scheme=other, forced_colors="active")
    page.locator(f".ox-root[data-theme={other}]").wait_for()
    canvas, text = page.evaluate("""() => ['Canvas', 'CanvasText'].map(name => {
        const probe = document.body.appendChild(document.createElement('i'));
        probe.style.color = name;
        return getComputedStyle(probe).color;
    })""")
    assert colour_of(page.locator(".ox-label-back").first, "fill") == canvas
    assert colour_of(page.locator(".ox-svg .ox-label text").first, "fill") == text
    page.locator("[data-box-id=conv1]").click()
    shown.press("Shift+W", "v", "v", "v", "?")
    told = [
        colour_of(page.locator(each).first, "background")
        for each in (".ox-legend-families i", ".ox-key-scale", ".ox-tab[aria-expanded=true]")
    ]
    told.append(colour_of(page.locator(".ox-tab").first, "background"))
    # Swatches, scales and what is down stand out, each in its own way.
    assert len(set(told)) == len(told)
    assert colour_of(page.locator(".ox-tooltip"), "borderTopWidth") == "1px"


def test_who_asks_for_more_contrast_gets_it(live):
    page = live(ox.explore(ox.example("digits"))).page
    words = page.locator(".ox-inspection details").first
    before = words.evaluate(CONTRASTS)
    page.emulate_media(contrast="more")
    assert min(words.evaluate(CONTRASTS))[0] > 1.3 * min(before)[0]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_number_of_an_input_is_seen_on_its_tag(live, scheme: str):
    page = live(ox.explore(ox.example("digits")), scheme=scheme).page
    page.locator("[data-action=run]").click()
    page.locator("[data-onnx-explorer-overlay]").select_option(label="activation range")
    tag = page.locator(".ox-card[data-kind=input] .ox-tag")
    tag.wait_for()
    assert colour_of(tag.locator("text"), "fill") != colour_of(tag.locator("rect"), "fill")
    drawn = [
        page.locator(".ox-card[data-kind=input]").locator(each).first.bounding_box()
        for each in (".ox-text-title", ".ox-tag rect")
    ]
    assert all(drawn)
    name, shown = (box for box in drawn if box)
    # Letters end above the end of their line.
    assert name["y"] + 0.85 * name["height"] <= shown["y"]


def test_a_contradiction_is_red_in_a_what_if_too(live):
    shown = live(ox.explore(ox.example("digits")))
    page = shown.page
    page.locator("[data-box-id=conv2]").click()
    shown.press("Shift+W")
    page.get_by_label("pads").first.fill("[0, 0, 0, 0]")
    page.get_by_label("pads").first.press("Enter")
    label = page.locator(".ox-label[data-mark=mismatch][data-changed] .ox-text-label")
    label.wait_for()
    assert colour_of(label, "fill") == colour_of(page.locator(".ox-sign-outline").first, "fill")


def test_a_path_is_lit_from_end_to_end(live):
    page = live(ox.explore(ox.example("digits"))).page
    page.locator("[data-box-id=conv1]").click()
    page.locator("[data-box-id=conv2]").click(modifiers=["Shift"])
    page.locator(".ox-card[data-faded]").first.wait_for()
    # From conv1 over relu1 and pool1 to conv2; what leads there and away is not of it.
    expect(page.locator(".ox-wire[data-hot]")).to_have_count(3)
    expect(page.locator(".ox-wire[data-hot][data-faded]")).to_have_count(0)


def test_a_page_alone_has_no_empty_panel(exported):
    explorer = ox.explore(ox.example("loop_if"))
    page = exported(explorer, record=True)
    expect(page.locator(".ox-stepping")).to_be_visible()
    expect(page.locator(".ox-debugger")).to_be_hidden()
    page.locator(".ox-canvas").focus()
    page.keyboard.press("e")
    expect(page.locator(".ox-debugger")).to_contain_text("body of collatz")


def test_labels_of_edges_leave_the_headers_of_groups_free(live):
    shown = live(ox.explore(ox.example("transformer")))
    for _ in range(3):
        shown.page.locator("[data-action=zoom-in]").click()
    shown.settle()
    shown.page.wait_for_timeout(300)
    covered = """() => {
        const of = selector => [...document.querySelectorAll(selector)]
            .map(one => one.getBoundingClientRect());
        const labels = of('.ox-labels .ox-label-back');
        const words = of('.ox-header text, .ox-header .ox-alike rect');
        const overlaps = words.flatMap(word => labels.filter(label =>
            Math.min(word.right, label.right) - Math.max(word.left, label.left) > 1
            && Math.min(word.bottom, label.bottom) - Math.max(word.top, label.top) > 1));
        return [labels.length > 0, words.length > 0, overlaps.length];
    }"""
    assert shown.page.evaluate(covered) == [True, True, 0]
