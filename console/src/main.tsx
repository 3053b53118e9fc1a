import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { applyTheme, readTheme } from './theme.ts'
import './styles.css'

applyTheme(readTheme())
const place = document.getElementById('console')
if (place) createRoot(place).render(<App />)
