import { usePrefetchQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import type { Grid, GridLine, GridOption, RecordGrid } from '../../../client/src/index.ts'
import { gridWords } from '../../../src/contract/index.ts'
import type { Api } from '../api.ts'
import { countText } from '../figures.ts'
import { recordLink } from '../links.ts'
import { numberFormat } from '../locale.ts'
import { saveFile } from '../save-file.ts'
import { Failure, Loading } from '../states.tsx'
import { language, texts } from '../texts/index.ts'
import './size-grid.css'

/** The groups whose records have grids of sizes and colours. */
export const gridGroups: ReadonlySet<string> = new Set([
  'orders',
  'goods-receipts',
  'parent-products',
  'inventory',
])

const gridQuery = (api: Api, group: string, id: string) => ({
  queryKey: ['grid', api.brand, group, id],
  queryFn: ({ signal }: { signal: AbortSignal }) => api.grid(group, id, { signal }),
})

interface GridProps {
  readonly api: Api
  readonly group: string
  readonly id: string
}

/** Sends the request while the page renders. */
export const PrefetchGrid = ({ api, group, id }: GridProps) => {
  usePrefetchQuery(gridQuery(api, group, id))
  return null
}

type Pieces = Grid['total']

/** What the cells show: a figure, or how far it is from another one. */
interface Shown {
  readonly figure: string
  /** The figure that it is compared with. */
  readonly against: string | null
  readonly isDifference: boolean
}

interface SizeGridProps extends GridProps {
  /** Whether the page has a table of the lines, which is enough where there are no sizes. */
  readonly hasLines: boolean
}

/** The pieces of a record by colour and size, a table for each style. */
export const SizeGrid = ({ api, group, id, hasLines }: SizeGridProps) => {
  const { data, error, refetch } = useQuery(gridQuery(api, group, id))
  const [shown, show] = useShown(data)
  const t = texts().document.grid
  if (data && isEmpty(data, hasLines)) return null
  return (
    <section className="size-grid" aria-labelledby="section-grid" aria-busy={!data && !error}>
      <h2 id="section-grid">
        {t.title}{' '}
        {data && <span className="count">{countText(data.total[shown.figure] ?? 0)}</span>}
        {group === 'inventory' && <span className="size-grid-where"> {t.here}</span>}
      </h2>
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading />
      ) : data.isTooLarge ? (
        <p className="quiet">{t.tooLarge}</p>
      ) : (
        <>
          <Tools {...{ api, group, id, data, shown, show }} />
          {data.grids.map((grid, index) => (
            <StyleGrid
              key={`${grid.style?.id} ${grid.dimensions.map((each) => each.id).join()}`}
              {...{ grid, shown, index }}
              brand={api.brand}
            />
          ))}
          {data.lines.length > 0 && <Lines brand={api.brand} lines={data.lines} shown={shown} />}
        </>
      )}
    </section>
  )
}

const isEmpty = ({ grids, lines, isTooLarge }: RecordGrid, hasLines: boolean): boolean =>
  grids.length === 0 && (hasLines || (lines.length === 0 && !isTooLarge))

/** What is shown is part of the address, so that a link shows the same. */
const useShown = (data: RecordGrid | undefined) => {
  const [path, navigate] = useLocation()
  const search = useSearch()
  const parameters = new URLSearchParams(search)
  const figures = data?.figures ?? []
  const wanted = parameters.get('figure')
  const { name = '', against = null } =
    figures.find((each) => each.name === wanted) ?? figures[0] ?? {}
  const isDifference = against !== null && parameters.has('difference')
  const shown: Shown = { figure: name, against, isDifference }
  const show = (figure: string, difference: boolean) => {
    const next = new URLSearchParams(search)
    next.set('figure', figure)
    if (difference) next.set('difference', '')
    else next.delete('difference')
    navigate(`${path}?${next}`, { replace: true })
  }
  return [shown, show] as const
}

interface ToolsProps extends GridProps {
  readonly data: RecordGrid
  readonly shown: Shown
  readonly show: (figure: string, isDifference: boolean) => void
}

const Tools = ({ api, group, id, data, shown, show }: ToolsProps) => {
  const [failure, setFailure] = useState<unknown>(null)
  const { figures } = gridWords[language()]
  const t = texts().document.grid
  const download = async () => {
    setFailure(null)
    try {
      const response = await api.gridFile(group, id, language())
      saveFile(await response.blob(), `${data.title ?? group}-${t.file}.xlsx`)
    } catch (error) {
      setFailure(error)
    }
  }
  return (
    <div className="size-grid-tools">
      <fieldset>
        <legend className="visually-hidden">{t.figure}</legend>
        {data.figures.map(({ name }) => (
          <label key={name}>
            <input
              type="radio"
              name="size-grid-figure"
              checked={name === shown.figure}
              onChange={() => show(name, shown.isDifference)}
            />
            <span>{figures[name] ?? name}</span>
          </label>
        ))}
      </fieldset>
      {data.figures.some(({ against }) => against !== null) && (
        <label className="size-grid-difference">
          <input
            type="checkbox"
            disabled={shown.against === null}
            checked={shown.isDifference}
            onChange={(event) => show(shown.figure, event.target.checked)}
          />{' '}
          {t.difference}
        </label>
      )}
      <button type="button" onClick={() => void download()}>
        {t.download}
      </button>
      {failure !== null && <Failure error={failure} />}
    </div>
  )
}

interface StyleGridProps {
  readonly brand: string
  readonly grid: Grid
  readonly shown: Shown
  readonly index: number
}

const StyleGrid = ({ brand, grid, shown, index }: StyleGridProps) => {
  const { style, dimensions, columns, rows, totals, total } = grid
  const words = gridWords[language()]
  const further = dimensions.slice(1)
  const name = `size-grid-${index}`
  const plain = rows.flatMap((row) => (row.rows.length === 0 ? [row] : []))
  return (
    <div className="size-grid-scroll" role="region" aria-labelledby={name} tabIndex={0}>
      <table>
        <caption id={name}>
          {style && (
            <>
              <Link
                href={`${recordLink(brand, 'parent-products', style.id)}?figure=${shown.figure}`}
              >
                {style.code}
              </Link>{' '}
              {style.name}
            </>
          )}{' '}
          <span className="quiet">
            {[shownText(shown), ...(further.length > 0 ? [dimensionsText(grid)] : [])].join(' · ')}
          </span>
        </caption>
        <thead>
          <tr>
            <th scope="col">{words.color}</th>
            {further.map((each) => (
              <th key={each.id} scope="col">
                {partText(each)}
              </th>
            ))}
            {columns.map((each) => (
              <th key={each.id} scope="col" className="end">
                {partText(each)}
              </th>
            ))}
            <th scope="col" className="end">
              {words.total}
            </th>
          </tr>
        </thead>
        {plain.length > 0 && (
          <tbody>
            {plain.map((row) => (
              <tr key={row.option?.id}>
                <th scope="row">
                  <Colour brand={brand} option={row.option} />
                </th>
                <Numbers cells={row.cells} total={row.total} shown={shown} />
              </tr>
            ))}
          </tbody>
        )}
        {rows.map((row) =>
          row.rows.length === 0 ? null : (
            <tbody key={row.option?.id}>
              {row.rows.map((sub, at) => (
                <tr key={sub.sizes.map(({ id }) => id).join()}>
                  {at === 0 && (
                    <th scope="rowgroup" rowSpan={row.rows.length + 1}>
                      <Colour brand={brand} option={row.option} />
                    </th>
                  )}
                  {sub.sizes.map((size) => (
                    <th key={size.id} scope="row" className="size-grid-further">
                      {partText(size)}
                    </th>
                  ))}
                  <Numbers cells={sub.cells} total={sub.total} shown={shown} />
                </tr>
              ))}
              <tr className="size-grid-sum">
                <th scope="row" className="size-grid-further" colSpan={further.length}>
                  {words.total}
                </th>
                <Numbers cells={row.cells} total={row.total} shown={shown} />
              </tr>
            </tbody>
          ),
        )}
        <tfoot>
          <tr>
            <th scope="row" colSpan={1 + further.length}>
              {words.total}
            </th>
            {totals.map((each, at) => (
              <Amount key={columns[at]?.id} pieces={each} shown={shown} />
            ))}
            <Amount pieces={total} shown={shown} />
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

const Colour = ({ brand, option }: { brand: string; option: GridOption | null }) => {
  if (!option) return null
  const { id, code, name, color, hexCode } = option
  return (
    <span className="size-grid-colour">
      <span
        className="size-grid-swatch"
        style={hexCode === null ? undefined : { backgroundColor: hexCode }}
      />
      <span>
        <Link href={recordLink(brand, 'product-options', id)}>{color ?? name ?? code}</Link>
        <span className="size-grid-code">{code}</span>
      </span>
    </span>
  )
}

interface NumbersProps {
  readonly cells: Grid['rows'][number]['cells']
  readonly total: Pieces
  readonly shown: Shown
}

const Numbers = ({ cells, total, shown }: NumbersProps) => (
  <>
    {cells.map((cell, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: cells have the place of their column.
      <Amount key={at} pieces={cell?.figures ?? null} shown={shown} />
    ))}
    <Amount pieces={total} shown={shown} />
  </>
)

/** Pieces, marked where they are fewer than those that they are compared with. */
const Amount = ({ pieces, shown }: { pieces: Pieces | null; shown: Shown }) => {
  if (!pieces) return <td className="end" />
  const { figure, against, isDifference } = shown
  const value = pieces[figure] ?? 0
  const difference = against === null ? 0 : value - (pieces[against] ?? 0)
  const number = isDifference ? difference : value
  const isShort = difference < 0 && (isDifference || value > 0)
  return (
    <td className={`end ${isShort ? 'short' : ''} ${number === 0 ? 'quiet' : ''}`}>
      {isDifference ? signed().format(number) : countText(number)}
    </td>
  )
}

const signed = () => numberFormat({ signDisplay: 'exceptZero' })

/** `Made, less ordered` */
const shownText = ({ figure, against, isDifference }: Shown): string => {
  const { figures } = gridWords[language()]
  const name = figures[figure] ?? figure
  return isDifference && against !== null
    ? texts().document.grid.less(name, figures[against] ?? against)
    : name
}

/** SKUs without a colour or size, and rows without a SKU. */
const Lines = ({
  brand,
  lines,
  shown,
}: {
  brand: string
  lines: readonly GridLine[]
  shown: Shown
}) => {
  const words = gridWords[language()]
  const t = texts().document.grid
  return (
    <div className="size-grid-scroll" role="region" aria-labelledby="size-grid-lines" tabIndex={0}>
      <table>
        <caption id="size-grid-lines">
          {t.lines} <span className="quiet">{shownText(shown)}</span>
        </caption>
        <thead>
          <tr>
            <th scope="col">{words.sku}</th>
            <th scope="col">{words.style}</th>
            <th scope="col" className="end">
              {words.pieces}
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ sku, style, figures }) => (
            <tr key={sku?.id ?? ''}>
              <th scope="row">
                {sku ? (
                  <Link href={recordLink(brand, 'skus', sku.id)}>{sku.code ?? sku.id}</Link>
                ) : (
                  words.noSku
                )}
              </th>
              <td>{style?.name}</td>
              <Amount pieces={figures} shown={shown} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** `Waist × Inseam` */
const dimensionsText = ({ dimensions }: Grid): string => dimensions.map(partText).join(' × ')

const partText = ({ name, code }: Grid['columns'][number]) => name ?? code
