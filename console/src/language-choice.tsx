import { keepLanguage } from './language.ts'
import { type Language, language, languages, texts } from './texts/index.ts'

/** Each language by its native name, so that its speakers recognize it. */
const names: Record<Language, string> = { en: 'English', de: 'Deutsch' }

/** Selects the language of the console and reloads the page. */
export const LanguageChoice = () => (
  <select
    className="plain"
    aria-label={texts().settings.language}
    value={language()}
    onChange={(event) => {
      keepLanguage(event.target.value as Language)
      location.reload()
    }}
  >
    {languages.map((each) => (
      <option key={each} value={each} lang={each}>
        {names[each]}
      </option>
    ))}
  </select>
)
