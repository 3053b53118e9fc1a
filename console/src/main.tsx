import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { restoreTheme } from './shell/theme.tsx'
import './styles.css'

restoreTheme()
const place = document.getElementById('console')
if (place) createRoot(place).render(<App />)
