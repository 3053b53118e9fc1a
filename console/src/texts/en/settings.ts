/** What a viewer can choose for this browser, and where more is said. */
export const settings = {
  guides: 'Guides',
  reference: 'API reference',
  language: 'Language',
  theme: 'Color theme',
  themes: { auto: 'Auto', light: 'Light', dark: 'Dark' },
}
