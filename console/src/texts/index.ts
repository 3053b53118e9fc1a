import { type LabelLanguage, labelLanguages } from '../../../src/contract/index.ts'
import { english } from './en/index.ts'

/** The texts of the console by area. Every language has all of them. */
export type Texts = typeof english

export const languages = labelLanguages
export type Language = LabelLanguage

/** English is part of the first script. Other languages are loaded on demand. */
const catalogues: Record<Language, () => Promise<Texts>> = {
  en: async () => english,
  de: async () => (await import('./de/index.ts')).german,
}

let current: Texts = english
let currentLanguage: Language = 'en'

/** The texts of the current language. */
export const texts = (): Texts => current

export const language = (): Language => currentLanguage

/** Loads a language and makes it current. Call it before anything is rendered. */
export const loadTexts = async (next: Language): Promise<void> => {
  current = await catalogues[next]()
  currentLanguage = next
}
