"""The script that the server runs for every session and every interaction."""

import app

app.main()
