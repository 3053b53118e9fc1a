import { useEffect, useState } from 'react'

const themes = ['auto', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const place = 'selvedge-theme'

const readTheme = (): Theme => {
  const kept = localStorage.getItem(place)
  return themes.find((each) => each === kept) ?? 'auto'
}

/** Light, dark, or as the system has it. */
export const ThemeChoice = () => {
  const [theme, setTheme] = useState(readTheme)
  useEffect(() => {
    applyTheme(theme)
    localStorage.setItem(place, theme)
  }, [theme])
  return (
    <select
      className="plain"
      aria-label="Colours"
      value={theme}
      onChange={(event) => setTheme(event.target.value as Theme)}
    >
      <option value="auto">Auto</option>
      <option value="light">Light</option>
      <option value="dark">Dark</option>
    </select>
  )
}

const applyTheme = (theme: Theme): void => {
  const { dataset } = document.documentElement
  if (theme === 'auto') delete dataset['theme']
  else dataset['theme'] = theme
}

/** Before the first picture is drawn. */
export const restoreTheme = (): void => applyTheme(readTheme())
