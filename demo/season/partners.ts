import { date, dayOf, moment, today } from './calendar.ts'
import { pad } from './codes.ts'
import type { Library, Term } from './library.ts'
import type { Places } from './places.ts'
import { at, type Random } from './random.ts'
import type { Put } from './record-buffer.ts'
import { putContact, putSite } from './sites.ts'
import { slugOf } from './slugs.ts'
import { people, type StoryRecords } from './story-records.ts'
import { type Forwarder, forwarders, type Trade, trades } from './trades.ts'
import type { Wording } from './wording.ts'

/** The dependencies of partners. */
export interface PartnerSource {
  readonly put: Put
  readonly random: Random
  readonly wording: Wording
  readonly story: StoryRecords
  readonly library: Library
}

/** A factory the season orders from. */
export interface Supplier {
  readonly id: string
  readonly partnerId: string
  readonly locationId: string
  readonly contactId: string
  readonly trade: Trade
  readonly city: string
  readonly term: Term
  readonly leadTimeDays: number
  readonly invoicePrefix: string
  readonly portId: string
  readonly airportId: string
}

export interface Mill {
  readonly supplierId: string
  readonly countryCode: string
  readonly currency: string
}

/** A forwarder for a warehouse. */
export interface Carrier {
  readonly partnerId: string
  readonly currency: string
  readonly invoicePrefix: string
  readonly taxPercent: number
}

const createdAt = '2025-01-13T10:00:00.000Z'

/** The name of a company, by its index in its trade. Names are unique. */
const nameOf = ({ firstWords, lastWords }: Trade, index: number): string => {
  const first = at(firstWords, index)
  const last = at(lastWords, Math.floor(index / firstWords.length) + index)
  const round = Math.floor(index / (firstWords.length * lastWords.length))
  return round === 0 ? `${first} ${last}` : `${first} ${last} ${round + 1}`
}

interface Company {
  readonly slug: string
  readonly name: string
  readonly shortName: string
  readonly countryCode: string
  readonly currency: string
  readonly leadTimeDays: number | null
  readonly termId: string | null
  readonly specializations: readonly string[]
  readonly audited: boolean
  readonly midCode: string | null
  readonly languageCode: string
}

const putPartner = ({ put, random, wording }: PartnerSource, company: Company): string => {
  const id = random.id()
  const { audited } = company
  const rating = () => `${random.between(3, 4)}.${random.below(10)}`
  put('partners', {
    id,
    slug: company.slug,
    name: company.name,
    shortName: company.shortName,
    countryCode: company.countryCode,
    defaultCurrencyCode: company.currency,
    leadTimeDays: company.leadTimeDays,
    moq: audited ? 200 : null,
    moqByColor: audited ? 100 : null,
    moqLastConfirmedAt: audited ? moment(today - random.between(60, 300)) : null,
    midCode: company.midCode,
    website: `https://${company.slug}.example`,
    minimumOrderValue: audited ? '3000.00' : null,
    certifications: audited ? ['GOTS'] : [],
    specializations: company.specializations,
    productionCapacity: audited ? random.between(8, 90) * 1000 : null,
    productionCapacityUnit: audited ? 'pieces_per_month' : null,
    factoryAuditDate: audited ? date(today - random.between(100, 500)) : null,
    factoryAuditStatus: audited ? at(['passed', 'passed', 'conditional'], random.below(3)) : null,
    partnerStatus: 'active',
    lastContactDate: date(today - random.between(2, 40)),
    nextContactDate: date(today + random.between(3, 60)),
    notes: wording.remark(company.languageCode),
    verified: true,
    createdAt,
    relationship: {
      id: random.id(),
      status: 'active',
      brandNotes: wording.remark('en'),
      defaultIncotermCode: audited ? 'FOB' : null,
      defaultCurrencyCode: company.currency,
      defaultPaymentTermId: company.termId,
      qualityRating: audited ? rating() : null,
      ontimeRating: audited ? rating() : null,
      responsivenessRating: audited ? rating() : null,
      sustainabilityScore: audited ? String(random.between(55, 92)) : null,
      brandOwnerUserId: people.buyer,
      customFields: audited ? { tier: '1' } : null,
    },
  })
  return id
}

/** A factory with its site, contacts, vendor account and certificates. */
export const putSupplier = (source: PartnerSource, places: Places, index: number): Supplier => {
  const { put, random, wording, library } = source
  const trade = at(trades, index)
  const place = Math.floor(index / trades.length)
  const name = nameOf(trade, place)
  const slug = slugOf(name)
  const city = at(trade.cities, place)
  const term = at(library.terms, index)
  const leadTimeDays = random.between(40, 75)
  const invoicePrefix = slug.replaceAll('-', '').slice(0, 2).toUpperCase() + (10 + place)
  const midCode = `${trade.countryCode}${slug.replaceAll('-', '').slice(0, 6).toUpperCase()}${place}`
  const partnerId = putPartner(source, {
    slug,
    name,
    shortName: at(trade.native?.firstWords ?? trade.firstWords, place),
    countryCode: trade.countryCode,
    currency: trade.currency,
    leadTimeDays,
    termId: term.id,
    specializations: [index % 2 === 0 ? 'wovens' : 'knits'],
    audited: true,
    midCode,
    languageCode: trade.languageCode,
  })
  const serial = index + 1
  const site = { partnerId, name, role: 'factory', trade, city: place, serial } as const
  const locationId = putSite(source, site)
  const company = { partnerId, locationId, slug, trade, left: false }
  const contactId = putContact(source, { ...company, role: 'merchandising' })
  putContact(source, { ...company, role: 'logistics' })
  if (index % 4 === 0) putContact(source, { ...company, role: 'sales', left: true })
  const id = random.id()
  put('suppliers', {
    id,
    partnerId,
    code: `V-${1000 + index}`,
    name,
    kind: 'finished_goods',
    status: 'approved',
    defaultLocationId: locationId,
    defaultContactId: contactId,
    defaultPaymentTermId: term.id,
    defaultCurrencyCode: trade.currency,
    defaultIncotermCode: 'FOB',
    incotermPlace: trade.incotermPlace,
    leadTimeDays,
    moq: 200,
    approvedAt: moment(dayOf('2025-02-03')),
    customFields: { ediEnabled: index % 3 === 0 },
    createdAt,
  })
  putCertificates(source, partnerId, name, index)
  if (index % 3 === 0) {
    put('notes', {
      id: random.id(),
      supplierId: id,
      visibility: 'internal',
      pinned: index % 6 === 0,
      body: `Line in ${city} visited; room for two more styles next season. ${wording.letter(trade.languageCode)}`,
      authorUserId: people.buyer,
      createdAt: moment(today - 150),
    })
  }
  return {
    id,
    partnerId,
    locationId,
    contactId,
    trade,
    city,
    term,
    leadTimeDays,
    invoicePrefix,
    portId: places.idOf(trade.port),
    airportId: places.idOf(trade.airport),
  }
}

/**
 * Remaining validity of some suppliers' certificates, in days. One has expired unnoticed, which
 * DOC-04 reports.
 */
const soonExpiring: { readonly [supplier: number]: number } = { 1: 11, 4: -9, 8: 26 }

const putCertificates = (
  { put, random, story }: PartnerSource,
  partnerId: string,
  name: string,
  index: number,
): void => {
  const documentTypeId = story.idOf('document-types', 'code', 'certificate')
  const reference = `GOTS-${pad(4100 + index, 6)}`
  const certificate = (
    status: string,
    version: number,
    supersedesDocumentId: string | null,
    issued: number,
    expiry: number,
    removedDay: number | null = null,
  ): string => {
    const id = random.id()
    const uploadedAt = moment(issued + 4)
    const removedAt = removedDay === null ? null : moment(removedDay)
    put('documents', {
      id,
      documentTypeId,
      name: `Organic textile certificate, ${name}`,
      reference,
      documentDate: date(issued),
      status,
      version,
      supersedesDocumentId,
      fileName: `${reference.toLowerCase()}-${version}.pdf`,
      mimeType: 'application/pdf',
      sizeBytes: random.between(60_000, 400_000),
      expiryDate: date(expiry),
      partnerId,
      uploadedByUserId: people.developer,
      createdAt: uploadedAt,
      updatedAt: removedAt ?? uploadedAt,
      deletedAt: removedAt,
    })
    return id
  }
  if (index % 3 === 0) {
    certificate('expired', 1, null, today - 420, today - 55)
  } else {
    const first = certificate('superseded', 1, null, today - 500, today - 135)
    const validDays = soonExpiring[index] ?? 225
    certificate('approved', 2, first, today - 140, today + validDays)
  }
  if (index % 5 === 0) certificate('rejected', 1, null, today - 410, today - 45, today - 400)
}

/** A weaver or knitter of cloth. */
export const putMill = (source: PartnerSource, index: number): Mill => {
  const { put, random, library } = source
  const trade = at(trades, index + 7)
  const place = Math.floor(index / trades.length)
  const name = `${nameOf(trade, place + 3).split(' ')[0]} Mills${place === 0 ? '' : ` ${place + 1}`}`
  const slug = `${slugOf(name)}-${trade.countryCode.toLowerCase()}`
  const term = at(library.terms, index)
  const partnerId = putPartner(source, {
    slug,
    name,
    shortName: name,
    countryCode: trade.countryCode,
    currency: 'USD',
    leadTimeDays: 30,
    termId: term.id,
    specializations: ['fabric'],
    audited: false,
    midCode: null,
    languageCode: trade.languageCode,
  })
  const city = at(trade.cities, place + 1)
  const serial = 5000 + index
  const site = { partnerId, name, role: 'mill', trade, city: place + 1, serial } as const
  const locationId = putSite(source, site)
  const contact = { partnerId, locationId, slug, trade, role: 'sales', left: false } as const
  const contactId = putContact(source, contact)
  const supplierId = random.id()
  put('suppliers', {
    id: supplierId,
    partnerId,
    code: `M-${100 + index}`,
    name,
    kind: 'fabric',
    status: index % 4 === 3 ? 'on_hold' : 'approved',
    defaultLocationId: locationId,
    defaultContactId: contactId,
    defaultPaymentTermId: term.id,
    defaultCurrencyCode: 'USD',
    defaultIncotermCode: 'EXW',
    incotermPlace: city,
    leadTimeDays: 30,
    moq: 300,
    approvedAt: createdAt,
    createdAt,
  })
  return { supplierId, countryCode: trade.countryCode, currency: 'USD' }
}

/** The forwarders, one for each warehouse, in the same order. The first one is the story's. */
export const putCarriers = (source: PartnerSource): readonly Carrier[] => [
  {
    partnerId: source.story.idOf('partners', 'slug', 'northquay-freight'),
    currency: 'USD',
    invoicePrefix: 'NQ',
    taxPercent: 0,
  },
  ...forwarders.map((forwarder: Forwarder) => ({
    partnerId: putPartner(source, {
      ...forwarder,
      leadTimeDays: null,
      termId: source.library.freightTermId,
      specializations: ['freight'],
      audited: false,
      midCode: null,
      languageCode: 'en',
    }),
    currency: forwarder.currency,
    invoicePrefix: forwarder.invoicePrefix,
    taxPercent: forwarder.taxPercent,
  })),
]
