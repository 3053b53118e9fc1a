import type { Grouping } from '#contract'
import type { Figures, SummaryGroup } from './summary-request.ts'

/** Figures as JSON, without those that were not requested. */
export const figuresJson = ({
  items,
  sum,
  min,
  max,
  tooLong,
}: Figures): { readonly [name: string]: unknown } => ({
  items,
  ...(Object.keys(sum).length > 0 && { sum: mapJson(sum) }),
  ...(Object.keys(min).length > 0 && { min }),
  ...(Object.keys(max).length > 0 && { max }),
  ...(Object.keys(tooLong).length > 0 && { tooLong }),
})

export const groupJson = (
  { by, ...figures }: SummaryGroup,
  groupings: readonly Grouping[],
): { readonly [name: string]: unknown } => ({
  by: Object.fromEntries(groupings.map(({ name }, at) => [name, by[at] ?? null])),
  ...figuresJson(figures),
})

const mapJson = (sums: Figures['sum']): { readonly [name: string]: unknown } =>
  Object.fromEntries(
    Object.entries(sums).map(([name, sum]) => [
      name,
      typeof sum === 'bigint' ? exactNumber(sum) : sum,
    ]),
  )

/** A whole number with all its digits, however large. */
const exactNumber = (value: bigint): unknown => rawJson(String(value))

const { rawJSON: rawJson } = JSON as unknown as { readonly rawJSON: (text: string) => unknown }
