import { type Language, languages } from './index.ts'

interface LanguageChoice {
  readonly language: Language
  /** The locale of figures. */
  readonly locale: string
}

/**
 * The stored language, or the first supported language of the browser. Figures use the browser's
 * first locale of this language, so that words and dates are of one language.
 */
export const chooseLanguage = (
  stored: string | null,
  preferred: readonly string[],
): LanguageChoice => {
  const language =
    languages.find((each) => each === stored) ??
    preferred.flatMap((each) => languageOf(each) ?? [])[0] ??
    'en'
  return { language, locale: preferred.find((each) => languageOf(each) === language) ?? language }
}

const languageOf = (locale: string): Language | undefined =>
  languages.find((each) => each === locale.split('-')[0]?.toLowerCase())
