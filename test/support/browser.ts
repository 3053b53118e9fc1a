import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'
import { install } from './debian.ts'

const run = promisify(execFile)

/** The browser without a window of its own comes first: each page takes it a quarter less processor time. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

/**
 * `CHROMIUM`, or what is on the path, or a package of Debian, which root can install. Where there is
 * none of these: why.
 */
export const findChromium = async (): Promise<string | { readonly missing: string }> => {
  const tried: string[] = []
  for (const find of [named, onPath, installed]) {
    try {
      const path = await find()
      await run(path, ['--version', '--no-sandbox'], { timeout: 30_000 })
      return path
    } catch (error) {
      tried.push((error as Error).message.trim().split('\n')[0] ?? '')
    }
  }
  return { missing: `chromium is not here and could not be installed: ${tried.join('; ')}` }
}

const named = async (): Promise<string> => {
  const path = process.env['CHROMIUM']
  if (!path) throw new Error('CHROMIUM names none')
  return path
}

const onPath = async (): Promise<string> => {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const [path] = names.flatMap((name) => globSync(join(folder, name)))
    if (path) return path
  }
  throw new Error('none is on the path')
}

const installed = async (): Promise<string> => {
  const withFonts = (browser: string) => install([browser, 'fonts-dejavu-core'])
  await withFonts('chromium-headless-shell').catch(() => withFonts('chromium'))
  return onPath()
}

const launchArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const openBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: launchArguments })

/** A page that notes whatever no page of ours may do. */
export interface WatchedPage extends Page {
  /** Scripts that failed, what the content security policy forbade, and requests to others. */
  readonly faults: readonly string[]
  /** The addresses of the scripts that were loaded. */
  readonly scripts: readonly string[]
}

/** A page in a browser profile of its own. */
export const openPage = async (
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> => {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Europe/Lisbon',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  // Only a deadline for what never happens: on a busy machine a page takes half a minute.
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const faults: string[] = []
  const scripts: string[] = []
  page.on('pageerror', ({ message }) => faults.push(`error: ${message}`))
  page.on('console', (message) => {
    const text = message.text()
    if (/content security policy/i.test(text)) faults.push(text)
    // Requests that the server refuses are logged there too; the tests check those themselves.
    else if (message.type() === 'error' && !/Failed to load resource/.test(text)) faults.push(text)
  })
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !/^(blob|data):/.test(url)) faults.push(`asked ${url}`)
    if (request.resourceType() === 'script') scripts.push(url)
  })
  return Object.assign(page, { faults, scripts })
}

/**
 * Opens a link in another tab, after a look that the page leaves a click with Ctrl to the browser.
 * The tab itself opens by `target`: on a busy machine Chromium's headless shell crashes in tabs that
 * a key opens.
 */
export const openInTab = async (link: Locator): Promise<Page> => {
  const page = link.page()
  const selector = `a[href="${await link.getAttribute('href')}"]`
  const isLeft = await page.evaluate(`(() => {
    const link = document.querySelector(${JSON.stringify(selector)})
    let isLeft = false
    const note = (event) => {
      isLeft = !event.defaultPrevented
      event.preventDefault()
    }
    addEventListener('click', note, { once: true })
    link.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey: true }))
    link.target = '_blank'
    return isLeft
  })()`)
  assert.equal(isLeft, true, 'the page handles a click with Ctrl itself')
  const opened = page.context().waitForEvent('page')
  await page.locator(selector).first().click()
  const other = await opened
  await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).target = ''`)
  return other
}

const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** What axe finds serious or worse on a page as it is now, a line for each. */
export const seriousFindings = async (
  page: Page,
  runOnly: readonly string[] = rules,
): Promise<readonly string[]> => findingsOf(page, runOnly, ['serious', 'critical'])

/** Whatever axe finds on a page as it is now, also against best practices. */
export const allFindings = (page: Page): Promise<readonly string[]> =>
  findingsOf(page, [...rules, 'best-practice'], ['minor', 'moderate', 'serious', 'critical'])

const findingsOf = async (
  page: Page,
  runOnly: readonly string[],
  impacts: readonly string[],
): Promise<readonly string[]> => {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(`${axe}; null`)
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly })
  const violations = (await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  )) as readonly Finding[]
  return violations
    .filter(({ impact }) => impacts.includes(impact))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
    )
}

/**
 * Looks at the page until an expression is true. Not by waitForFunction(), whose second look needs
 * eval(), which the content security policy of the console forbids.
 */
export const awaitTrue = async (page: Page, expression: string): Promise<void> => {
  for (let tries = 0; tries < 600; tries += 1) {
    if ((await page.evaluate(expression)) === true) return
    await page.waitForTimeout(50)
  }
  throw new Error(`In 30 seconds this did not become true on ${page.url()}: ${expression}`)
}
