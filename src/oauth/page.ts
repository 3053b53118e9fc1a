import { hash } from 'node:crypto'
import type { Client } from './client.ts'
import { type PageLanguage, pageTexts } from './page-texts.ts'
import { isLoopback } from './redirect-uri.ts'

/** A page for a person: its HTML, and headers that isolate it from other pages. */
export interface Page {
  readonly html: string
  readonly headers: { readonly [name: string]: string }
}

/** The common parts of all pages of a request. */
export interface PageParts {
  readonly language: PageLanguage
  readonly client: Client
  readonly redirectUri: string
  /** Reports the person's refusal to the client. */
  readonly cancelUrl: string
}

/**
 * The page for entering a key. Its form posts to the page's URL and the response is a page again,
 * so the policy allows no other target.
 */
export const keyPage = (
  parts: PageParts,
  problem?: 'invalid' | 'expired' | 'elsewhere' | 'over',
): Page => {
  const { language, client, redirectUri } = parts
  const texts = pageTexts[language]
  const name = client.name || texts.unnamed
  const problems = {
    invalid: texts.invalidKey,
    expired: texts.expiredKey,
    elsewhere: texts.foreignAddress,
    over: texts.ticketOver,
  }
  return pageOf(
    { language, title: texts.keyTitle(name), formTargets: "'self'" },
    `<p>${escapeHtml(texts.receiver(whereOf(redirectUri, language)))}</p>
<p class="note">${escapeHtml(texts.unverified)}</p>
<form method="post">
${problem ? `<p class="problem" id="problem" role="alert">${escapeHtml(problems[problem])}</p>` : ''}
<label for="key">${texts.key}</label>
<input id="key" name="key" type="password" autocomplete="off" spellcheck="false" autocapitalize="none" placeholder="slv_…" maxlength="200" required autofocus aria-describedby="note${problem ? ' problem' : ''}"${problem ? ' aria-invalid="true"' : ''}>
<p class="quiet" id="note">${escapeHtml(texts.keyNote)}</p>
<div class="buttons">
<button class="primary">${texts.continue}</button>
${cancelLink(parts)}
</div>
</form>`,
  )
}

const cancelLink = ({ language, cancelUrl }: PageParts): string =>
  `<a class="button" href="${escapeHtml(cancelUrl)}" rel="noreferrer">${pageTexts[language].cancel}</a>`

export interface AllowParts extends PageParts {
  readonly keyName: string
  readonly isGlobal: boolean
  readonly brands: readonly { readonly name: string; readonly slug: string }[]
  /** The names of the groups that the key is limited to; null if it is not. */
  readonly groups: readonly string[] | null
  /** Milliseconds since 1970; null if the key does not expire. */
  readonly expiresAt: number | null
  /** Proves that the key was entered. */
  readonly ticket: string
}

const brandsShown = 10
const groupsShown = 20

/** The page that shows what the key may read, and asks for consent. */
export const allowPage = (parts: AllowParts): Page => {
  const { language, client, redirectUri, brands, isGlobal, groups, expiresAt, keyName, ticket } =
    parts
  const texts = pageTexts[language]
  const name = client.name || texts.unnamed
  const shown = brands.slice(0, brandsShown).map((each) => `${each.name} (${each.slug})`)
  const hidden = brands.length - shown.length
  const list = [
    ...(isGlobal ? [texts.allBrands] : []),
    ...(brands.length === 0 && !isGlobal ? [texts.noBrands] : []),
    ...shown,
    ...(hidden > 0 ? [texts.more(hidden)] : []),
  ]
  const until =
    expiresAt === null
      ? texts.untilRevoked
      : new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(expiresAt)
  const row = (term: string, description: string) => `<dt>${term}</dt><dd>${description}</dd>`
  const moreGroups = (groups?.length ?? 0) - groupsShown
  const groupsText = [
    ...(groups?.slice(0, groupsShown) ?? []),
    ...(moreGroups > 0 ? [texts.more(moreGroups)] : []),
  ].join(', ')
  return pageOf(
    { language, title: texts.allowTitle(name), formTargets: targetsOf(redirectUri) },
    `<dl>
${row(texts.client, escapeHtml(name))}
${row(texts.where, escapeHtml(whereOf(redirectUri, language)))}
${row(texts.keyName, escapeHtml(keyName))}
${row(texts.brands, `<ul>${list.map((each) => `<li>${escapeHtml(each)}</li>`).join('')}</ul>`)}
${groups ? row(texts.groups, escapeHtml(groupsText)) : ''}
${row(texts.until, escapeHtml(until))}
</dl>
<p class="note">${escapeHtml(groups ? texts.allowGroupsNote : texts.allowNote)}</p>
<form method="post">
<input type="hidden" name="ticket" value="${escapeHtml(ticket)}">
<div class="buttons">
<button class="primary">${texts.allow}</button>
${cancelLink(parts)}
</div>
</form>`,
  )
}

/** The page for a rejected request, with a link to the client if it is registered. */
export const refusedPage = (
  language: PageLanguage,
  sentence: string,
  back?: { readonly redirectUri: string; readonly url: string },
): Page => {
  const texts = pageTexts[language]
  const link =
    back &&
    `<p><a href="${escapeHtml(back.url)}" rel="noreferrer">${escapeHtml(texts.back(whereOf(back.redirectUri, language)))}</a></p>`
  return pageOf(
    { language, title: texts.refusedTitle, formTargets: "'none'" },
    `<p class="problem" lang="en">${escapeHtml(sentence)}</p>
${link ?? ''}`,
  )
}

/** The recipient of the access for display: the host, never the client's description. */
const whereOf = (redirectUri: string, language: PageLanguage): string => {
  const url = new URL(redirectUri)
  return isLoopback(url) ? pageTexts[language].thisComputer : url.host
}

/**
 * Allowed targets of the consent form: this server, and from here the client. The policy applies to
 * all following redirects, and a client may have several hosts.
 */
const targetsOf = (redirectUri: string): string =>
  isLoopback(new URL(redirectUri)) ? "'self' http: https:" : "'self' https:"

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const style = `:root{color-scheme:light dark;--ink:light-dark(#1b1d1f,#e8e6e1);--quiet:light-dark(#5c6166,#a0a4a8);--paper:light-dark(#fbfaf8,#141618);--raised:light-dark(#fff,#1c1f22);--line:light-dark(#8b8880,#6c7278);--accent:light-dark(#1f4f8f,#8fb8ee);--accent-ink:light-dark(#fff,#10161e);--warn:light-dark(#fbf0dc,#2d2413);--bad:light-dark(#a3242b,#f0959a)}
*{box-sizing:border-box}
body{margin:0;padding:1rem;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Arial,sans-serif}
main{max-width:28rem;margin:8vh auto 0}
header{display:flex;gap:.6rem;align-items:center;font-weight:600;margin-bottom:1.5rem}
h1{font-size:1.4rem;line-height:1.25;margin:0 0 1rem;overflow-wrap:anywhere}
p,dd{overflow-wrap:anywhere}
.note{background:var(--warn);border-radius:6px;padding:.75rem}
.quiet{color:var(--quiet);font-size:.875rem}
.problem{color:var(--bad);font-weight:600}
label{display:block;font-weight:600;margin:1rem 0 .4rem}
input{width:100%;padding:.75rem;font:1rem ui-monospace,Menlo,Consolas,monospace;color:inherit;background:var(--raised);border:1px solid var(--line);border-radius:6px}
.buttons{display:flex;gap:.75rem;margin-top:1.25rem}
button,.button{flex:1;padding:.75rem;font:inherit;text-align:center;text-decoration:none;color:var(--ink);background:var(--raised);border:1px solid var(--line);border-radius:6px;cursor:pointer}
button.primary{color:var(--accent-ink);background:var(--accent);border-color:var(--accent);font-weight:600}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
a{color:var(--accent)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.5rem 1rem}
dt{color:var(--quiet)}
dd{margin:0}
ul{margin:0;padding:0;list-style:none}`

const mark =
  '<svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#1f3f70"/><path d="M9 6v20M16 6v20" stroke="#f4efe4" stroke-width="2.4" stroke-dasharray="4 2.4"/><path d="M24 4v24" stroke="#d6493f" stroke-width="3.2"/></svg>'

interface Frame {
  readonly language: PageLanguage
  readonly title: string
  readonly formTargets: string
}

const pageOf = ({ language, title, formTargets }: Frame, content: string): Page => ({
  html: `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – Selvedge</title>
<style>${style}</style>
</head>
<body>
<main>
<header>${mark} Selvedge</header>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    // The page has no script. It may load nothing, and no other page may frame it.
    'content-security-policy': `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; form-action ${formTargets}; base-uri 'none'; frame-ancestors 'none'`,
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
    // The page's form sends its origin, which is checked; other sites get no referrer.
    'referrer-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'x-content-type-options': 'nosniff',
    vary: 'Accept-Language',
  },
})
