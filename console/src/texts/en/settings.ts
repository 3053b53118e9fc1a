/** The settings of this browser, and links to the documentation. */
export const settings = {
  guides: 'Guides',
  reference: 'API reference',
  language: 'Language',
  theme: 'Color theme',
  themes: { auto: 'Auto', light: 'Light', dark: 'Dark' },
}
