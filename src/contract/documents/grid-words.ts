import type { LabelLanguage } from '../labels.ts'

export interface GridWords {
  readonly figures: { readonly [figure: string]: string }
  /** One figure less another: the name of a sheet. */
  readonly less: (figure: string, other: string) => string
  readonly code: string
  readonly color: string
  readonly style: string
  readonly sizes: string
  readonly total: string
  readonly pieces: string
  readonly sku: string
  /** Rows without a SKU, such as tooling. */
  readonly noSku: string
}

const less = (figure: string, other: string): string => `${figure} - ${other}`

/** The words of grids, in files and on pages. */
export const gridWords: Record<LabelLanguage, GridWords> = {
  en: {
    figures: {
      ordered: 'Ordered',
      made: 'Made',
      shipped: 'Shipped',
      received: 'Received',
      expected: 'Expected',
      damaged: 'Damaged',
      rejected: 'Rejected',
      onHand: 'On hand',
      available: 'Available',
      reserved: 'Reserved',
      incoming: 'Incoming',
    },
    less,
    code: 'Code',
    color: 'Colour',
    style: 'Style',
    sizes: 'Sizes',
    total: 'Total',
    pieces: 'Pieces',
    sku: 'SKU',
    noSku: 'Without a SKU',
  },
  de: {
    figures: {
      ordered: 'Bestellt',
      made: 'Gefertigt',
      shipped: 'Versandt',
      received: 'Eingegangen',
      expected: 'Erwartet',
      damaged: 'Beschädigt',
      rejected: 'Abgelehnt',
      onHand: 'Bestand',
      available: 'Verfügbar',
      reserved: 'Reserviert',
      incoming: 'Im Zulauf',
    },
    less,
    code: 'Code',
    color: 'Farbe',
    style: 'Modell',
    sizes: 'Größen',
    total: 'Summe',
    pieces: 'Stück',
    sku: 'SKU',
    noSku: 'Ohne SKU',
  },
}
