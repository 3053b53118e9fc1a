import { setLocale } from './locale.ts'
import { chooseLanguage } from './texts/choice.ts'
import { type Language, loadTexts } from './texts/index.ts'

const storageKey = 'selvedge-language'

/** Loads the texts of the viewer's language and sets the language of the page. */
export const applyLanguage = async (): Promise<void> => {
  const stored = localStorage.getItem(storageKey)
  const { language, locale } = chooseLanguage(stored, navigator.languages)
  await loadTexts(language)
  setLocale(locale)
  document.documentElement.lang = language
}

/** Stores the language in this browser. It takes effect when the page reloads. */
export const keepLanguage = (language: Language): void => localStorage.setItem(storageKey, language)
