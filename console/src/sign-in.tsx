import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import type { Brand } from './api.ts'
import markUrl from './mark.svg'
import { useTitle } from './title.ts'
import './sign-in.css'

interface SignInProps {
  /** A key from the URL, which is tried at once. */
  readonly linkKey: string | null
  /** Why the session has ended. */
  readonly notice: string | null
  readonly ask: (key: string) => Promise<Brand[]>
  readonly onEnter: (key: string, brands: Brand[], brand: string) => void
}

/** The brand in a URL such as `/brands/aldermoor/orders`, if there is one. */
const brandInUrl = (): string | null => {
  const [, slug] = /^\/brands\/([^/]+)/.exec(location.pathname) ?? []
  return slug === undefined ? null : decodeURIComponent(slug)
}

export const SignIn = ({ linkKey, notice, ask, onEnter }: SignInProps) => {
  const [key, setKey] = useState('')
  const [brands, setBrands] = useState<Brand[] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const tried = useRef(false)
  useTitle('Sign in')
  const id = useId()

  const tryKey = async (candidate: string) => {
    setBusy(true)
    setProblem(null)
    try {
      const readable = await ask(candidate)
      const wanted = brandInUrl()
      const [first] = readable
      if (wanted !== null) onEnter(candidate, readable, wanted)
      else if (readable.length === 1 && first) onEnter(candidate, readable, first.slug)
      else if (readable.length === 0)
        setProblem('This key is valid, but this server has none of its brands.')
      else {
        setKey(candidate)
        setBrands(readable)
      }
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    } finally {
      setBusy(false)
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a key from the URL is tried once
  useEffect(() => {
    if (linkKey === null || tried.current) return
    tried.current = true
    void tryKey(linkKey)
  }, [])

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
            <h2 id={`${id}-brands`}>Choose a brand</h2>
            <ul className="brand-choice">
              {brands.map(({ slug, name }) => (
                <li key={slug}>
                  <button type="button" onClick={() => onEnter(key, brands, slug)}>
                    <strong>{name}</strong> <span className="quiet">{slug}</span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ) : (
          <form onSubmit={submit}>
            <p className="quiet">
              Every quote, order, shipment, receipt and payment of a brand, and how they are
              connected.
            </p>
            {notice && (
              <p className="notice" role="status">
                {notice}
              </p>
            )}
            <label htmlFor={id}>API key</label>
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
            <button type="submit" className="primary" disabled={busy}>
              {busy ? 'Signing in …' : 'Sign in'}
            </button>
            <p className="problem" role="alert">
              {problem}
            </p>
            <p id={`${id}-note`} className="quiet small">
              The key stays in the open tabs of this browser and is forgotten when you close them.{' '}
              <code>npm start</code> prints a link that signs you in.
            </p>
          </form>
        )}
      </div>
    </main>
  )
}
