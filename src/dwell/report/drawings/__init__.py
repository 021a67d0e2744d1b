"""Small drawings that a page has hundreds of, as texts of SVG."""
