import { LanguageChoice } from '../language-choice.tsx'
import { texts } from '../texts/index.ts'
import { ThemeChoice } from './theme-choice.tsx'

interface SettingsProps {
  readonly onHelp: () => void
  readonly onLeave: () => void
}

/** The settings of this browser, help, and signing out. */
export const Settings = ({ onHelp, onLeave }: SettingsProps) => {
  const words = texts().shell
  return (
    <div className="settings">
      <ThemeChoice />
      <div className="choice">
        <span>{texts().settings.language}</span>
        <LanguageChoice />
      </div>
      <hr />
      <button type="button" className="plain settings-item" onClick={onHelp}>
        {words.keyboard} <kbd>?</kbd>
      </button>
      <button type="button" className="plain settings-item" onClick={onLeave}>
        {words.signOut}
      </button>
    </div>
  )
}

/** Links to the documentation. */
export const Manuals = () => (
  <>
    <a href="/guides">{texts().settings.guides}</a>
    <a href="/docs">{texts().settings.reference}</a>
  </>
)
