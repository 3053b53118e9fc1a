import { useId, useSyncExternalStore } from 'react'
import { texts } from '../texts/index.ts'
import { chooseTheme, readTheme, themes, watchTheme } from '../theme.ts'

/** Selects the light, dark or system theme. */
export const ThemeChoice = () => {
  const theme = useSyncExternalStore(watchTheme, readTheme)
  const name = useId()
  const words = texts().settings
  return (
    <fieldset className="choice">
      <legend>{words.theme}</legend>
      {themes.map((each) => (
        <label key={each}>
          <input
            type="radio"
            name={name}
            checked={each === theme}
            onChange={() => chooseTheme(each)}
          />
          {words.themes[each]}
        </label>
      ))}
    </fieldset>
  )
}
