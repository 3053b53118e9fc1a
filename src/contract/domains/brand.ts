import { changeTimes, id, nullable, text } from '../fields.ts'
import { resource } from '../resource.ts'

export const brand = resource({
  path: 'brand',
  name: 'Brand',
  domain: 'network',
  summary: 'The brand itself: one record, addressed by its slug.',
  unique: [['slug']],
  title: 'name',
  lookup: 'slug',
  endpoints: ['get'],
  fields: {
    id: id(),
    slug: text('The {brand} segment of every path.'),
    name: text(),
    legalName: nullable(text()),
    countryCode: text({
      code: 'country',
      note: 'ISO 3166-1 alpha-2; the code of a record in countries.',
    }),
    baseCurrencyCode: text({
      code: 'currency',
      note: 'ISO 4217. The currency of every baseAmount and of every amount whose name ends in Base.',
    }),
    timezone: text({
      code: 'timezone',
      note: 'IANA time zone name. Date-only fields are dates in this zone.',
    }),
    website: nullable(text({ code: 'url' })),
    defaultIncotermCode: nullable(text({ code: 'incoterm' })),
    ...changeTimes,
  },
})
