/**
 * Updates the pictures of the console in `docs/images`: serves the demo brand, opens each page in
 * Chromium and takes a screenshot. Run with `npm run screenshots`.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Page } from 'playwright-core'
import { findChromium, openBrowser, openPage } from '../test/support/browser.ts'

const root = join(import.meta.dirname, '..')
const images = join(root, 'docs', 'images')
const brand = '/brands/aldermoor'

interface Picture {
  readonly name: string
  /** Relative to the server's URL. */
  readonly path: string
  /** Visible once the page is complete. */
  readonly ready: string
  readonly colorScheme?: 'dark'
  readonly viewport?: { readonly width: number; readonly height: number }
  /** Runs before the screenshot. */
  readonly prepare?: (page: Page) => Promise<void>
}

const followFirstOrder = async (page: Page): Promise<void> => {
  await page.locator('.grid tbody tr a').first().click()
  await page.locator('.document h1').waitFor()
}

const pictures: readonly Picture[] = [
  { name: 'today', path: brand, ready: '.today svg' },
  {
    name: 'today-phone',
    path: brand,
    ready: '.today svg',
    viewport: { width: 390, height: 844 },
  },
  { name: 'list', path: `${brand}/orders?view=late`, ready: '.grid tbody tr' },
  {
    name: 'order',
    path: `${brand}/orders?orderNumber=PO-5512`,
    ready: '.grid tbody tr',
    prepare: followFirstOrder,
  },
  {
    name: 'order-dark',
    path: `${brand}/orders?view=late&sort=-orderDate`,
    ready: '.grid tbody tr',
    colorScheme: 'dark',
    prepare: followFirstOrder,
  },
  {
    name: 'lineage',
    path: `${brand}/orders?orderNumber=PO-5512`,
    ready: '.grid tbody tr',
    prepare: async (page) => {
      await followFirstOrder(page)
      await page.getByRole('link', { name: 'Lineage' }).first().click()
      await page.locator('.lineage').waitFor()
    },
  },
  { name: 'quality', path: `${brand}/quality`, ready: 'main h1' },
]

const chromium = await findChromium()
if (typeof chromium !== 'string') throw new Error(chromium.missing)

const folder = mkdtempSync(join(tmpdir(), 'selvedge-screenshots-'))
const server = spawn(process.execPath, ['bin/selvedge.mjs', 'serve', '--demo'], {
  cwd: root,
  env: { ...process.env, PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'selvedge.db')}` },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const link = await readLink()
  const { origin, hash } = new URL(link)
  const browser = await openBrowser(chromium)
  for (const { name, path, ready, prepare, ...options } of pictures) {
    const page = await openPage(browser, origin, { reducedMotion: 'reduce', ...options })
    await page.goto(`${origin}${path}${hash}`)
    await page.locator(ready).first().waitFor()
    await prepare?.(page)
    await page.waitForLoadState('networkidle')
    await page.screenshot({ path: join(images, `console-${name}.png`) })
    await page.context().close()
    console.error(`docs/images/console-${name}.png`)
  }
  await browser.close()
} finally {
  server.kill()
  rmSync(folder, { recursive: true, force: true })
}

/** The sign-in link that the server prints when it is ready. */
async function readLink(): Promise<string> {
  for await (const line of createInterface(server.stdout)) {
    const [link] = /https?:\S+#key=\S+/.exec(line) ?? []
    if (link !== undefined) return link
  }
  throw new Error('The server printed no link to sign in with.')
}
