import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { applyLanguage } from './language.ts'
import { applyTheme, readTheme } from './theme.ts'
import './styles.css'
import './print.css'

applyTheme(readTheme())
// If the texts of a language cannot be loaded, the page is in English.
await applyLanguage().catch(() => undefined)
const place = document.getElementById('console')
if (place) createRoot(place).render(<App />)
