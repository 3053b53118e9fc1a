import { adminEnglish } from './en/admin.ts'
import type { Language } from './index.ts'

/** The texts of the operator page by area. They are apart from those of the console, which loads none. */
export type AdminTexts = typeof adminEnglish

const catalogues: Record<Language, () => Promise<AdminTexts>> = {
  en: async () => adminEnglish,
  de: async () => (await import('./de/admin.ts')).adminGerman,
}

let current: AdminTexts = adminEnglish

/** The texts of the operator page in the current language. */
export const adminTexts = (): AdminTexts => current

/** Loads a language. Call it before anything is rendered. */
export const loadAdminTexts = async (next: Language): Promise<void> => {
  current = await catalogues[next]()
}
