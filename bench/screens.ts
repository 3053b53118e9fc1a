/**
 * The time between two pages of the console in Chromium: from a click until the next page's content
 * is painted. Each measurement starts with a newly opened console, so that no page is in memory;
 * scripts are in the browser's cache. Pictures and content below the first screen are not awaited.
 * `--orders <n>,<n>` sets the sizes of the demo brand (200 and 3,700 orders by default: 37,000 and
 * 600,000 records), `--rounds <n>` the number of measurements per page, each with another record if
 * the page shows one. Exits with 1 if a target is missed.
 */
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { queryBasePath } from '#contract'
import { findChromium, openBrowser, openPage } from '../test/support/browser.ts'
import { formatCount, whole as readWhole, UsageError } from '../tools/options.ts'
import { inSandbox, type Sandbox } from '../tools/sandbox.ts'
import { readBenchOptions, text, whole } from './options.ts'
import { apiPath, openProduct, type Server } from './product.ts'
import { publish } from './results.ts'
import { median, spreadOf } from './statistics.ts'
import { tableOf } from './table.ts'
import { exitCodeOf, sentenceOf, verdictOf } from './targets.ts'

const brand = 'aldermoor'
const home = `/brands/${brand}`

/** Milliseconds per page: for a brand of the size that `npm start` creates, and for larger ones. */
const pageTargets = { demo: 100, large: 300 }
/** Milliseconds from the last letter of a search to its results, at every size. */
const searchTarget = 100
const demoOrders = 200

/** A page and the way to it. */
interface Screen {
  readonly name: string
  /** A selector that matches once the page shows its content. */
  readonly ready: string
  /** The start page, and the selector that shows it is ready. */
  readonly from: string
  readonly fromReady: string
  /** The path of the page, or the search text, for a round. */
  readonly to: (round: number) => string
  readonly isSearch?: boolean
}

/** Runs in the page: waits until the content is painted, and returns that time. */
const untilPainted = `(isReady) => new Promise((resolve) => {
  const check = () => {
    if (!isReady()) return
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
  }
  const observer = new MutationObserver(check)
  observer.observe(document.body, { subtree: true, childList: true, attributes: true })
  check()
})`

/** Runs in the page: clicks the link, or navigates like a link if the page has none. */
const openByClick = `async (path, ready) => {
  const began = performance.now()
  const link = [...document.querySelectorAll('a')].find((each) => each.getAttribute('href') === path)
  if (link) link.click()
  else history.pushState(null, '', path)
  const painted = await (${untilPainted})(() =>
    location.pathname + location.search === path &&
    document.querySelector(ready) !== null &&
    document.querySelector('#content [aria-busy="true"]') === null)
  return painted - began
}`

/** Runs in the page: enters a text at once and waits for the records that match it. */
const typeText = `async (text, ready) => {
  const began = performance.now()
  const field = document.querySelector('.search-field')
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, text)
  field.dispatchEvent(new Event('input', { bubbles: true }))
  const painted = await (${untilPainted})(() => document.querySelector(ready)?.textContent.includes(text))
  return painted - began
}`

/**
 * Requests documents that no measurement shows. A new server compiles its code first, which doubles
 * the time of a request.
 */
const warmUp = async (server: Server): Promise<void> => {
  for (const group of documents) {
    const { items } = await readJson(server, `${apiPath}/brands/${brand}/${group}?limit=100`)
    for (const { id } of items.slice(-warmRecords)) {
      await server.get(`${queryBasePath}/brands/${brand}/${group}/${id}/document`)
    }
  }
}

const warmRecords = 30

const readJson = async (
  server: Server,
  path: string,
): Promise<{ readonly items: readonly { readonly [field: string]: string }[] }> =>
  JSON.parse((await server.get(path)).body.toString())

/** The lists of the main navigation. */
const lists = ['orders', 'shipments', 'inventory', 'invoices', 'suppliers', 'parent-products']
/** The groups whose records have documents. */
const documents = ['orders', 'shipments', 'invoices', 'suppliers', 'skus', 'parent-products']

const screensOf = async (server: Server, rounds: number): Promise<readonly Screen[]> => {
  const fromToday = { from: home, fromReady: '.today-panels' }
  const fromTags = { from: `${home}/tags`, fromReady: '.grid tbody td' }
  const screens: Screen[] = [
    { name: 'Today', ready: '.today-panels', ...fromTags, to: () => home },
    ...lists.map((group) => ({
      name: `list of ${group}`,
      ready: '.grid tbody td a',
      ...fromToday,
      to: () => `${home}/${group}`,
    })),
    {
      name: 'late orders, largest first',
      ready: '.grid tbody td a',
      ...fromToday,
      to: () => `${home}/orders?view=late&sort=-totalAmount`,
    },
    {
      name: 'trends',
      ready: '.days-plot path, .days-plot circle',
      ...fromToday,
      to: () => `${home}/trends`,
    },
    { name: 'calendar', ready: '.calendar-line', ...fromToday, to: () => `${home}/calendar` },
    { name: 'data quality', ready: '.quality section', ...fromToday, to: () => `${home}/quality` },
  ]
  for (const group of documents) {
    const path = `${apiPath}/brands/${brand}/${group}?limit=${rounds + 1}`
    const { items: records } = await readJson(server, path)
    const pathIn = (round: number) => `${home}/${group}/${records[round % records.length]?.['id']}`
    screens.push({
      name: `page of one of ${group}`,
      ready: '.document-body',
      from: `${home}/${group}`,
      fromReady: '.grid tbody td a',
      to: pathIn,
    })
    if (group !== 'orders') continue
    screens.push({
      name: 'lineage of an order',
      ready: '.graph-canvas',
      from: `${home}/${group}`,
      fromReady: '.grid tbody td a',
      to: (round) => `${pathIn(round)}/lineage`,
    })
    screens.push({
      name: 'search for an order',
      ready: '.search-option .search-title',
      ...fromToday,
      to: (round) => String(records[round % records.length]?.['orderNumber']),
      isSearch: true,
    })
  }
  return screens
}

interface Measured {
  readonly name: string
  readonly target: number
  readonly ms: number
  readonly mostMs: number
  /** CPU time of the page's main thread, which varies little on a busy machine. */
  readonly pageCpuMs: number
  /** CPU time of the server per measurement. */
  readonly serverCpuMs: number | null
  /** API requests per measurement. */
  readonly requests: number
}

const measure = async (
  page: Page,
  server: Server,
  screen: Screen,
  { rounds, target }: { readonly rounds: number; readonly target: number },
): Promise<Measured> => {
  const origin = `http://127.0.0.1:${server.port}`
  const pageCpuMs = await readPageCpu(page)
  const times: number[] = []
  const pageTimes: number[] = []
  const requests: number[] = []
  let cpuMs: number | null = 0
  for (let round = 0; round <= rounds; round += 1) {
    await page.goto(`${origin}${screen.from}`)
    await page.locator(screen.fromReady).first().waitFor()
    await page.waitForLoadState('networkidle')
    if (screen.isSearch) {
      await page.keyboard.press('/')
      await page.locator('.search-field').waitFor()
    }
    let sent = 0
    const count = (request: { url(): string }) => {
      if (new URL(request.url()).pathname.startsWith('/api/')) sent += 1
    }
    page.on('request', count)
    const [cpuBefore, pageBefore] = [server.cpuMs(), await pageCpuMs()]
    const run = screen.isSearch ? typeText : openByClick
    const ms = Number(
      await page.evaluate(
        `(${run})(${JSON.stringify(screen.to(round))}, ${JSON.stringify(screen.ready)})`,
      ),
    )
    page.off('request', count)
    // The first round loads the scripts into the browser's cache.
    if (round === 0) continue
    const cpuAfter = server.cpuMs()
    times.push(ms)
    pageTimes.push((await pageCpuMs()) - pageBefore)
    requests.push(sent)
    cpuMs =
      cpuMs === null || cpuBefore === null || cpuAfter === null
        ? null
        : cpuMs + cpuAfter - cpuBefore
  }
  return {
    name: screen.name,
    target: screen.isSearch ? searchTarget : target,
    ms: median(times),
    mostMs: spreadOf(times)?.most ?? Number.NaN,
    pageCpuMs: median(pageTimes),
    serverCpuMs: cpuMs === null ? null : cpuMs / rounds,
    requests: median(requests),
  }
}

/** Returns a function that reads the CPU time of a page's main thread in milliseconds. */
const readPageCpu = async (page: Page): Promise<() => Promise<number>> => {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000
  }
}

interface Size {
  readonly orders: number
  readonly records: number
  readonly screens: readonly Measured[]
}

const runSize = async (
  sandbox: Sandbox,
  chromium: string,
  orders: number,
  rounds: number,
): Promise<Size> => {
  const { folder, step } = sandbox
  const name = `screens-${orders}`
  const product = openProduct(sandbox, name, `sqlite:${join(folder, `${name}.db`)}`)
  const made = await step(`filling a brand with ${formatCount(orders)} orders`, () =>
    product.run('demo', '--brand', brand, '--orders', String(orders), '--json'),
  )
  const { records } = JSON.parse(made)
  const { key } = JSON.parse(await product.run('keys', 'issue', '--brand', brand, '--json'))
  const server = await product.serve({
    path: `${apiPath}/brands/${brand}/orders?limit=1`,
    headers: { authorization: `Bearer ${key}` },
  })
  const origin = `http://127.0.0.1:${server.port}`
  const browser = await openBrowser(chromium)
  sandbox.onClose(() => browser.close())
  try {
    const screens = await screensOf(server, rounds)
    await warmUp(server)
    const page = await openPage(browser, origin, { reducedMotion: 'reduce' })
    await page.goto(`${origin}${home}#key=${key}`)
    await page.locator('.today-panels').waitFor()
    const target = orders <= demoOrders ? pageTargets.demo : pageTargets.large
    return await step(`opening ${screens.length} pages ${rounds} times`, async () => {
      const measured: Measured[] = []
      for (const screen of screens) {
        measured.push(await measure(page, server, screen, { rounds, target }))
      }
      return { orders, records, screens: measured }
    })
  } finally {
    await browser.close()
    await server.close()
  }
}

const reportOf = ({ records, screens }: Size): string =>
  tableOf(
    [
      `${formatCount(records)} records`,
      'ms',
      'most ms',
      'target',
      'page CPU',
      'server CPU',
      'requests',
    ],
    screens.map(({ name, target, ms, mostMs, pageCpuMs, serverCpuMs, requests }) => [
      name,
      ms.toFixed(0),
      mostMs.toFixed(0),
      String(target),
      pageCpuMs.toFixed(0),
      serverCpuMs?.toFixed(1) ?? '–',
      String(requests),
    ]),
  )

export const runScreens = async (args: readonly string[]): Promise<number> => {
  const options = readBenchOptions(args, {
    orders: text(`${demoOrders},3700`),
    rounds: whole(7, 1, 50),
  })
  const sizes = options.orders.split(',').map((each) => readWhole('orders', each, 20, 100_000))
  const { rounds } = options
  const chromium = await findChromium()
  if (typeof chromium !== 'string') throw new UsageError(chromium.missing)
  return inSandbox(async (sandbox) => {
    const results: Size[] = []
    for (const orders of sizes) results.push(await runSize(sandbox, chromium, orders, rounds))
    const verdicts = results.flatMap(({ records, screens }) =>
      screens.map(({ name, target, ms }) =>
        verdictOf(`${name}, ${formatCount(records)} records, ms`, ms, 'at most', target),
      ),
    )
    publish(
      sandbox,
      options,
      'screens',
      { rounds, sizes: results, verdicts },
      `${results.map(reportOf).join('\n\n')}\n\n${verdicts.map(sentenceOf).join('\n')}\n`,
    )
    return exitCodeOf(verdicts)
  })
}
