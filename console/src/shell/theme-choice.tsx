import { useEffect, useState } from 'react'
import { applyTheme, keepTheme, readTheme, type Theme } from '../theme.ts'

/** Selects the light, the dark or the system's theme. */
export const ThemeChoice = () => {
  const [theme, setTheme] = useState(readTheme)
  useEffect(() => {
    applyTheme(theme)
    keepTheme(theme)
  }, [theme])
  return (
    <select
      className="plain"
      aria-label="Color theme"
      value={theme}
      onChange={(event) => setTheme(event.target.value as Theme)}
    >
      <option value="auto">Auto</option>
      <option value="light">Light</option>
      <option value="dark">Dark</option>
    </select>
  )
}
