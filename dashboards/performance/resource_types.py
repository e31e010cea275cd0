TYPES = {
    "document": "HTML",
    "script": "JavaScript",
    "style": "CSS",
    "image": "Image",
    "font": "Font",
    "api": "API",
    "media": "Media",
    "other": "Other",
    "server": "Server",
}
