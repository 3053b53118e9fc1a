import { Link } from 'wouter'
import { brandLink } from './links.ts'
import { Manuals } from './shell/settings.tsx'
import { texts } from './texts/index.ts'
import { useTitle } from './title.ts'

/** A path outside of the console that has nothing, with links to what the server has. */
export const NoSuchPage = ({ path }: { path: string }) => {
  const words = texts().states
  useTitle(words.pageNotFound)
  return (
    <main className="lone-page">
      <h1>{words.pageNotFound}</h1>
      <p>{words.nothingAt(path)}</p>
      <nav className="lone-links" aria-label={words.otherPages}>
        <Link href="/">{words.console}</Link>
        <Manuals />
      </nav>
    </main>
  )
}

/** A path below a brand that has nothing. */
export const NoSuchBrandPage = ({ brand }: { brand: string }) => {
  const words = texts().states
  useTitle(words.pageNotFound, brand)
  return (
    <div className="state state-empty">
      <h1>{words.pageNotFound}</h1>
      <p>{words.nothingHere}</p>
      <Link href={brandLink(brand)}>{texts().shell.today}</Link>
    </div>
  )
}
