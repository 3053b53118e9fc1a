import { createRoot } from 'react-dom/client'
import { applyLanguage } from '../language.ts'
import { setZone } from '../locale.ts'
import { loadAdminTexts } from '../texts/admin.ts'
import { language } from '../texts/index.ts'
import { applyTheme, readTheme } from '../theme.ts'
import { AdminApp } from './app.tsx'
import { takeToken } from './token.ts'
import '../styles.css'

// Before anything else: the address must not keep the token.
const token = takeToken()
applyTheme(readTheme())
// If the texts of a language cannot be loaded, the page is in English.
await applyLanguage()
  .then(() => loadAdminTexts(language()))
  .catch(() => undefined)
// Operators see all brands, so times are in their own zone.
setZone(new Intl.DateTimeFormat().resolvedOptions().timeZone)
const place = document.getElementById('admin')
if (place) createRoot(place).render(<AdminApp token={token} />)
