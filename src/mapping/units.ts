import type { Measure } from '#contract'

/** A unit to convert from, with its factor to the record's unit. */
export interface Unit {
  readonly to: string
  readonly factor: string
  readonly about: string
}

/** Every unit, by the name that a mapping uses. The factors are exact. */
export const units: { readonly [name: string]: Unit } = {
  mg: { to: 'kg', factor: '0.000001', about: 'milligram' },
  g: { to: 'kg', factor: '0.001', about: 'gram' },
  kg: { to: 'kg', factor: '1', about: 'kilogram' },
  t: { to: 'kg', factor: '1000', about: 'metric ton' },
  oz: { to: 'kg', factor: '0.028349523125', about: 'ounce' },
  lb: { to: 'kg', factor: '0.45359237', about: 'pound' },
  mm: { to: 'cm', factor: '0.1', about: 'millimetre' },
  cm: { to: 'cm', factor: '1', about: 'centimetre' },
  m: { to: 'cm', factor: '100', about: 'metre' },
  in: { to: 'cm', factor: '2.54', about: 'inch' },
  ft: { to: 'cm', factor: '30.48', about: 'foot' },
  yd: { to: 'cm', factor: '91.44', about: 'yard' },
  ccm: { to: 'cbm', factor: '0.000001', about: 'cubic centimetre' },
  l: { to: 'cbm', factor: '0.001', about: 'litre, cubic decimetre' },
  cbm: { to: 'cbm', factor: '1', about: 'cubic metre' },
  cuft: { to: 'cbm', factor: '0.028316846592', about: 'cubic foot' },
  fraction: { to: 'percent', factor: '100', about: 'part of one: 0.05 is 5 percent' },
  permille: { to: 'percent', factor: '0.1', about: 'part of a thousand' },
  percent: { to: 'percent', factor: '1', about: 'part of a hundred' },
  days: { to: 'days', factor: '1', about: 'day' },
  weeks: { to: 'days', factor: '7', about: 'week of seven days' },
  pieces: { to: 'pieces', factor: '1', about: 'piece' },
  pairs: { to: 'pieces', factor: '2', about: 'pair' },
  dozens: { to: 'pieces', factor: '12', about: 'dozen' },
  gross: { to: 'pieces', factor: '144', about: 'gross, twelve dozen' },
  cents: { to: 'money', factor: '0.01', about: 'hundredth of a currency' },
}

/** The unit of fields that measure something. Other fields can be in days, pieces or money. */
export const unitOfMeasure: { readonly [measure in Measure]?: string } = {
  weightKg: 'kg',
  lengthCm: 'cm',
  volumeCbm: 'cbm',
  percent: 'percent',
  money: 'money',
  unitPrice: 'money',
}
