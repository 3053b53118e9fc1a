import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { type Brand, isDeadKey, SelvedgeError } from './api.ts'
import { keptDays } from './kept-session.ts'
import { LanguageChoice } from './language-choice.tsx'
import markUrl from './mark.svg'
import { Marked } from './marked.tsx'
import { type Candidate, removeCandidate, storeCandidate } from './session.ts'
import { texts } from './texts/index.ts'
import { useTitle } from './title.ts'
import type { SignIn as SignInAction } from './use-session.ts'
import './sign-in.css'

interface SignInProps {
  /** A key from the URL or from before a reload, which is tried immediately. */
  readonly candidate: Candidate | null
  /** Why the session ended. */
  readonly notice: string | null
  readonly ask: (key: string) => Promise<Brand[]>
  readonly onEnter: SignInAction
  /** Forgets the candidate. */
  readonly onCancel: () => void
}

/** The brand in a URL such as `/brands/aldermoor/orders`, if there is one. */
const brandInUrl = (): string | null => {
  const [, slug] = /^\/brands\/([^/]+)/.exec(location.pathname) ?? []
  return slug === undefined ? null : decodeURIComponent(slug)
}

export const SignIn = ({ candidate, notice, ask, onEnter, onCancel }: SignInProps) => {
  const [key, setKey] = useState('')
  const [brands, setBrands] = useState<Brand[] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const [isKept, setKept] = useState(candidate?.isKept ?? false)
  const hasTried = useRef(false)
  useTitle(texts().signIn.title)
  const id = useId()

  const tryKey = async (tried: string) => {
    setBusy(true)
    setProblem(null)
    try {
      const readable = await ask(tried)
      const wanted = brandInUrl()
      const [first] = readable
      if (wanted !== null) onEnter(tried, readable, wanted, isKept)
      else if (readable.length === 1 && first) onEnter(tried, readable, first.slug, isKept)
      else if (readable.length === 0) setProblem(texts().signIn.noBrands)
      else {
        setKey(tried)
        setBrands(readable)
        storeCandidate({ key: tried, isKept })
      }
    } catch (error) {
      if (error instanceof SelvedgeError && isDeadKey(error)) removeCandidate()
      setProblem(error instanceof Error ? error.message : String(error))
    } finally {
      setBusy(false)
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a candidate is tried once
  useEffect(() => {
    if (candidate === null || hasTried.current) return
    hasTried.current = true
    void tryKey(candidate.key)
  }, [])

  const cancel = () => {
    setKey('')
    setBrands(null)
    onCancel()
  }

  const submit = (event: FormEvent) => {
    event.preventDefault()
    void tryKey(key.trim())
  }

  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <h1>
          <img src={markUrl} alt="" width="28" height="28" /> Selvedge
        </h1>
        {brands ? (
          <section aria-labelledby={`${id}-brands`}>
            <h2 id={`${id}-brands`}>{texts().signIn.chooseBrand}</h2>
            <ul className="brand-choice">
              {brands.map(({ slug, name }) => (
                <li key={slug}>
                  <button type="button" onClick={() => onEnter(key, brands, slug, isKept)}>
                    <strong>{name}</strong> <span className="quiet">{slug}</span>
                  </button>
                </li>
              ))}
            </ul>
            <button type="button" onClick={cancel}>
              {texts().signIn.anotherKey}
            </button>
          </section>
        ) : (
          <form onSubmit={submit}>
            <p className="quiet">{texts().signIn.purpose}</p>
            {notice && (
              <p className="notice" role="status">
                {notice}
              </p>
            )}
            <label htmlFor={id}>{texts().signIn.key}</label>
            <input
              id={id}
              type="password"
              autoComplete="off"
              spellCheck={false}
              placeholder="slv_…"
              required
              value={key}
              onChange={(event) => setKey(event.target.value)}
              aria-describedby={`${id}-note`}
              aria-invalid={problem !== null}
            />
            <label className="keep">
              <input
                type="checkbox"
                checked={isKept}
                onChange={(event) => setKept(event.target.checked)}
                aria-describedby={`${id}-note`}
              />
              {texts().signIn.keep}
            </label>
            <p id={`${id}-note`} className="quiet small">
              {isKept ? texts().signIn.keptNote(keptDays) : texts().signIn.note}
            </p>
            <button type="submit" className="primary" disabled={busy}>
              {busy ? texts().signIn.busy : texts().signIn.submit}
            </button>
            <p className="problem" role="alert">
              {problem}
            </p>
            <p className="quiet small">
              <Marked text={texts().signIn.linkNote} />
            </p>
          </form>
        )}
        <footer className="sign-in-foot">
          <a href="/guides">{texts().settings.guides}</a>
          <a href="/docs">{texts().settings.reference}</a>
          <LanguageChoice />
        </footer>
      </div>
    </main>
  )
}
