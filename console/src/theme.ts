export const themes = ['auto', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const place = 'selvedge-theme'

/** The theme chosen in this browser; `auto` follows the system. */
export const readTheme = (): Theme => {
  const stored = localStorage.getItem(place)
  return themes.find((each) => each === stored) ?? 'auto'
}

export const keepTheme = (theme: Theme): void => localStorage.setItem(place, theme)

export const applyTheme = (theme: Theme): void => {
  const { dataset } = document.documentElement
  if (theme === 'auto') delete dataset['theme']
  else dataset['theme'] = theme
}
