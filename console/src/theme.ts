export const themes = ['auto', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const place = 'selvedge-theme'

/** The theme chosen in this browser; `auto` follows the system. */
export const readTheme = (): Theme => {
  const stored = localStorage.getItem(place)
  return themes.find((each) => each === stored) ?? 'auto'
}

export const applyTheme = (theme: Theme): void => {
  const { dataset } = document.documentElement
  if (theme === 'auto') delete dataset['theme']
  else dataset['theme'] = theme
}

const listeners = new Set<() => void>()

/** Applies a theme and stores it in this browser. */
export const chooseTheme = (theme: Theme): void => {
  localStorage.setItem(place, theme)
  applyTheme(theme)
  for (const listener of listeners) listener()
}

export const watchTheme = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
