import { Copy } from '../copy.tsx'
import { LanguageChoice } from '../language-choice.tsx'
import markUrl from '../mark.svg'
import { adminTexts } from '../texts/admin.ts'
import { texts } from '../texts/index.ts'
import { useTitle } from '../title.ts'
import '../sign-in.css'

interface SignedOutProps {
  readonly notice: string | null
  readonly onRefresh: () => void
}

/** Without a session: how to get a link. */
export const SignedOut = ({ notice, onRefresh }: SignedOutProps) => {
  const words = adminTexts().shell
  useTitle(words.signedOutTitle, words.title)
  return (
    <main className="sign-in">
      <div className="sign-in-card admin-signed-out">
        <h1>
          <img src={markUrl} alt="" width="28" height="28" /> Selvedge
        </h1>
        {notice && (
          <p className="notice" role="status">
            {notice}
          </p>
        )}
        <p>{words.signedOut}</p>
        <p className="admin-command">
          <code>{words.signInCommand}</code>{' '}
          <Copy text={words.signInCommand} label={texts().states.copy} />
        </p>
        <p className="quiet small">{words.linkNote}</p>
        <footer className="sign-in-foot">
          <button type="button" onClick={onRefresh}>
            {words.reload}
          </button>
          <LanguageChoice />
        </footer>
      </div>
    </main>
  )
}
