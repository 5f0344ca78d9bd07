"""The app: one file a page in `views/`, what two pages share in `components/`, no logic here."""
