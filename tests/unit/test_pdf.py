"""What is done to a PDF before it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

pikepdf = pytest.importorskip("pikepdf")


def image(pdf: object, color: bytes) -> object:
    return pikepdf.Stream(
        pdf,
        color * 64,
        Type=pikepdf.Name.XObject,
        Subtype=pikepdf.Name.Image,
        Width=8,
        Height=8,
        ColorSpace=pikepdf.Name.DeviceRGB,
        BitsPerComponent=8,
    )


def test_equal_images_are_written_once(tmp_path: Path) -> None:
    from mkdocs_metalworking.hosts.forms.pdf import share_images

    colors = [b"abc", b"abd", b"abc", b"abc"]
    with pikepdf.new() as pdf:
        for color in colors:
            page = pdf.add_blank_page()
            page.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(Im=pdf.make_indirect(image(pdf, color))))
        share_images(pdf)
        pdf.save(tmp_path / "made.pdf")
    with pikepdf.open(tmp_path / "made.pdf") as pdf:
        found = [page.Resources.XObject.Im for page in pdf.pages]
        assert [one.read_bytes() for one in found] == [color * 64 for color in colors]
        assert len({one.objgen for one in found}) == 2
