import { type Language, languages } from './index.ts'

interface LanguageChoice {
  readonly language: Language
  /** The locale of figures. */
  readonly locale: string | undefined
}

/**
 * The stored language, or the first supported language of the browser. Figures use the browser's
 * locale, unless it belongs to another language than the stored one.
 */
export const chooseLanguage = (
  stored: string | null,
  preferred: readonly string[],
): LanguageChoice => {
  const [own] = preferred
  const chosen = languages.find((each) => each === stored)
  if (chosen === undefined) {
    const [first = 'en'] = preferred.flatMap((each) => languageOf(each) ?? [])
    return { language: first, locale: own }
  }
  const matching = preferred.find((each) => languageOf(each) === chosen)
  return { language: chosen, locale: matching ?? chosen }
}

const languageOf = (locale: string): Language | undefined =>
  languages.find((each) => each === locale.split('-')[0]?.toLowerCase())
