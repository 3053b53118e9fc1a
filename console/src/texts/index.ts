import { english } from './en/index.ts'

/** What the console says, by area. Every language has all of it. */
export type Texts = typeof english

export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]

/** English is part of the first script; another language is loaded where it is used. */
const catalogues: Record<Language, () => Promise<Texts>> = {
  en: async () => english,
  de: async () => (await import('./de/index.ts')).german,
}

let current: Texts = english
let currentLanguage: Language = 'en'

/** The texts of the current language. */
export const texts = (): Texts => current

export const language = (): Language => currentLanguage

/** Makes a language the current one. Call it before anything is shown. */
export const loadTexts = async (next: Language): Promise<void> => {
  current = await catalogues[next]()
  currentLanguage = next
}
