export const themes = ['auto', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const place = 'selvedge-theme'

/** What somebody chose in this browser; `auto` is as the system has it. */
export const readTheme = (): Theme => {
  const kept = localStorage.getItem(place)
  return themes.find((each) => each === kept) ?? 'auto'
}

export const keepTheme = (theme: Theme): void => localStorage.setItem(place, theme)

export const applyTheme = (theme: Theme): void => {
  const { dataset } = document.documentElement
  if (theme === 'auto') delete dataset['theme']
  else dataset['theme'] = theme
}
