import {
  ApiError,
  type OperatorNewView,
  type OperatorView,
  type OperatorViews,
  type PublishedView,
  placeParameters,
  publishedViewLimits,
  viewName,
  viewNameProblem,
} from '#contract'
import { createViewChecks } from '#request'
import { requireBrand } from './brand.ts'
import { OperatorError } from './error.ts'
import type { OperatorParts } from './parts.ts'

type ViewParts = Pick<OperatorParts, 'store'>

/** The published views of a brand, in the order in which they were added. */
export const listViews = async ({ store }: ViewParts, brand: string): Promise<OperatorViews> => {
  await requireBrand(store, brand)
  const { check } = createViewChecks(store.catalog)
  const views = await store.views.list(brand)
  return { items: views.map((view) => describeView(view, check)), nextCursor: null }
}

const describeView = (view: PublishedView, check: (view: PublishedView) => void): OperatorView => {
  try {
    check(view)
    return { ...view, problem: null }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { ...view, problem: error.message }
  }
}

/** Publishes a view, and returns it. */
export const addView = async (
  { store }: ViewParts,
  brand: string,
  request: OperatorNewView,
): Promise<OperatorView> => {
  await requireBrand(store, brand)
  const view = readView(brand, request)
  try {
    createViewChecks(store.catalog).check(view)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw invalid(error.message)
  }
  const result = await store.views.add(brand, view)
  // Removed meanwhile.
  if (result === 'no brand') await requireBrand(store, brand)
  if (result === 'added') return { ...view, problem: null }
  throw new OperatorError(
    'conflict',
    result === 'full'
      ? `${brand} has ${publishedViewLimits.perBrand} views. Remove one first: selvedge views remove --brand ${brand} --name <name>`
      : `${brand} has a view ${view.name} already. Remove it first, or choose another name.`,
  )
}

/** Removes a published view. Those that readers have kept in their browsers stay. */
export const removeView = async (
  { store }: ViewParts,
  brand: string,
  name: string,
): Promise<void> => {
  await requireBrand(store, brand)
  if (await store.views.remove(brand, viewName(name))) return
  throw new OperatorError(
    'missing',
    `${brand} has no view of this name. See: selvedge views list --brand ${brand}`,
  )
}

/** A longer text is not a link of a list, and parsing it would take time. */
const textMax = 16_384

const readView = (brand: string, request: OperatorNewView): PublishedView => {
  const { link, group, query = '' } = request
  if ((link === undefined) === (group === undefined)) {
    throw new OperatorError(
      'usage',
      'Say which list: paste its link, or use --group <group> with --query <parameters>.',
    )
  }
  if ((link ?? query).length > textMax) throw invalid('The link is too long.')
  const list = link === undefined ? { group: String(group), query } : readLink(brand, link)
  const parameters = new URLSearchParams(list.query)
  const name = viewName(request.name ?? parameters.get('saved') ?? '')
  if (name === '') throw new OperatorError('usage', 'Name the view: use --name <name>.')
  const problem = viewNameProblem(name)
  if (problem) throw invalid(`The name ${problem}.`)
  const text = selectionOf(parameters)
  if (text.length > publishedViewLimits.query) {
    throw invalid(`The parameters have more than ${publishedViewLimits.query} characters.`)
  }
  return { name, group: list.group, query: text }
}

/** The parameters without those that say where in the list the reader was. */
const selectionOf = (parameters: URLSearchParams): string => {
  const selection = [...parameters].filter(([name]) => !placeParameters.has(name))
  // What could not be decoded.
  if (selection.flat().some((text) => text.includes('\ufffd'))) {
    throw invalid('The parameters are not valid percent-encoded UTF-8.')
  }
  return new URLSearchParams(selection).toString()
}

/** A list's address in the console: `/brands/aldermoor/orders`. */
const listPath = /\/brands\/([^/]+)\/([^/]+)\/?$/

/** Reads a link to a list in the console, on any host: a server can have several names. */
const readLink = (brand: string, link: string): Pick<PublishedView, 'group' | 'query'> => {
  const url = URL.parse(link.trim(), 'http://console')
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  const [, slug, group] = (isWeb && listPath.exec(url.pathname)) || []
  if (!url || slug === undefined || group === undefined) {
    throw invalid(
      `This is not a link of a list. Copy one in the console: https://…/brands/${brand}/<group>?…`,
    )
  }
  if (slug !== brand) throw invalid(`The link is of the brand ${slug}, not of ${brand}.`)
  return { group, query: url.search }
}

const invalid = (sentence: string): OperatorError => new OperatorError('invalid', sentence)
