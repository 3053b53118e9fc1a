/*
 * The words in the names of tables and columns, in English and German, with the field names of a
 * common ERP system. Synonyms map to one of the few words that also describe fields and collections.
 */

const synonyms: { readonly [word: string]: string } = {
  supplier:
    'supplier suppliers vendor vendors vend lieferant lieferanten kreditor kreditoren creditor creditors lifnr suppl fournisseur fourn proveedor proveedores',
  customer:
    'customer customers cust kunde kunden debitor debitoren kunnr client clients klient abnehmer cliente clientes',
  partner:
    'partner partners geschaeftspartner geschaftspartner company companies firma firmen unternehmen societe tiers soc party parties partei bpartner thirdparty',
  order:
    'order orders po purchase bestellung bestellungen bestell bestel ebeln auftrag auftrags auftraege auftrage ord commande commandes pedido pedidos',
  line: 'line lines ln position positionen ebelp zeile zeilen detail details pos det linea lineas ligne lignes',
  sku: 'sku skus item items article articles artikel matnr variante varianten variant variants part parts teil teile bauteil',
  style:
    'style styles modell modelle model models product products produkt produkte produit producto productos',
  quantity:
    'quantity quantities qty qnty menge mengen anzahl stueck stuck stueckzahl stuckzahl pcs units bestellmenge qte quantite cantidad',
  price: 'price prices preis preise netpr prc einzelpreis prix precio',
  cost: 'cost costs kosten',
  amount:
    'amount amounts amt betrag betrage betraege summe value values wert werte netwr val montant importe',
  total: 'total totals tot gesamt sum',
  currency:
    'currency currencies curr cur waehrung wahrung waers ccy waehrungscode devise moneda multicurrency',
  date: 'date dates dt datum dat termin day tag at fecha',
  time: 'time timestamp ts zeit uhrzeit datetime',
  name: 'name names nm name1 bezeichnung namen label libelle nom nombre',
  description: 'description descr desc text txt beschreibung txz01 langtext',
  number:
    'number numbers no nr num nummer nummern code codes cd id ids key nbr kennung nro kode rowid numero',
  country: 'country countries ctry land land1 cntry laender lander herkunftsland pays pais',
  status: 'status stat sts zustand statut estado',
  kind: 'kind type types typ art',
  shipment: 'shipment shipments sendung sendungen shp container containers transport',
  receipt:
    'receipt receipts grn wareneingang wareneingange wareneingaenge receiving gr reception recepcion',
  invoice:
    'invoice invoices rechnung rechnungen rechnungs inv faktura fakturen belnr facture factures factura facturas bill bills',
  payment: 'payment payments zahlung zahlungen pay zahlungs',
  term: 'term terms bedingung bedingungen zterm konditionen',
  material: 'material materials materialien stoff stoffe fabric fabrics rohstoff rohstoffe',
  location: 'location locations lagerort lagerorte standort standorte site sites werk werks',
  warehouse: 'warehouse warehouses wh whs whse lager lagerhaus entrepot almacen depot',
  contact: 'contact contacts ansprechpartner kontakt kontakte kontaktperson',
  category:
    'category categories kategorie kategorien warengruppe warengruppen artikelgruppe produktgruppe warengrp matkl wgr categorie categoria subcategory subcategories',
  color: 'color colour colors colours farbe farben',
  size: 'size groesse grosse sizes groessen grossen',
  gtin: 'gtin ean ean11 ean13 upc barcode barcodes strichcode',
  tariff: 'hts tariff zolltarif zolltarifnummer commodity hs stawn customcode',
  weight: 'weight weights gewicht wgt wt',
  net: 'net netto nt ht',
  gross: 'gross brutto ttc',
  volume: 'volume volumen cbm',
  length: 'length laenge lange',
  width: 'width breite',
  height: 'height hoehe hohe',
  incoterm: 'incoterm incoterms lieferbedingung lieferbedingungen inco1 inco',
  place: 'place inco2',
  lead: 'lead',
  days: 'days tage',
  delivery:
    'delivery deliveries deliver dlv liefer lieferung lieferungen eindt delivered geliefert livraison gelieferte',
  departure: 'departure departed depart abfahrt abgang',
  arrival: 'arrival arrived arrive ankunft',
  estimated: 'estimated est geplant planned plan voraussichtlich',
  expected: 'expected erwartet',
  actual: 'actual act ist tatsaechlich tatsachlich',
  requested: 'requested req wunsch required gewuenscht gewunscht',
  confirmed: 'confirmed conf bestaetigt bestatigt',
  approved: 'approved freigegeben genehmigt',
  ordered: 'ordered bestellt',
  reserved: 'reserved reserviert reservierung',
  available: 'available verfuegbar verfugbar',
  blocked: 'blocked gesperrt sperrbestand',
  minimum: 'minimum min mindest',
  maximum: 'maximum max hoechst hochst',
  factory: 'factory fabrik werksabgang',
  due: 'due faellig fallig faelligkeit falligkeit faelligkeits falligkeits',
  created: 'created creation angelegt erfasst erstellt erdat anlagedatum anlage',
  updated:
    'updated changed modified geaendert geandert aedat change modification lastchange aenderung anderung tms',
  cancelled: 'cancelled canceled storniert storno',
  closed: 'closed abgeschlossen geschlossen',
  received: 'received eingegangen erhalten wemng',
  damaged: 'damaged beschaedigt beschadigt',
  rejected: 'rejected abgelehnt',
  shipped: 'shipped versandt versendet',
  mode: 'mode versandart verkehrstraeger verkehrstrager',
  tracking: 'tracking sendungsnummer',
  season: 'season seasons saison collection collections kollektion kollektionen',
  stock: 'inventory stock stocks bestand bestaende bestande labst lagerbestand existencias',
  memo: 'memo note notes comment comments remark remarks bemerkung bemerkungen notiz notizen kommentar anmerkung',
  unit: 'unit uom me meins einheit einheiten mengeneinheit masseinheit',
  tax: 'tax taxes vat steuer steuern mwst ust mehrwertsteuer umsatzsteuer tva iva',
  rate: 'rate rates kurs wkurs exchange wechselkurs satz taux tx',
  discount: 'discount discounts rabatt rabatte skonto nachlass',
  city: 'city cities town stadt ort ort01',
  street: 'street streets strasse address addresses adresse adressen anschrift addr',
  postal: 'postal zip plz postcode postleitzahl zipcode pstlz',
  region: 'region regions bundesland province provinz county',
  phone: 'phone telephone telefon telefonnummer tel fon telf1 fernsprecher',
  mobile: 'mobile mobil handy cell cellphone',
  fax: 'fax telefax telfx',
  email: 'email emails mail mailadresse smtp',
  website: 'website homepage webseite internetadresse',
  first: 'first given',
  origin: 'origin herkunft ursprung ursprungsland',
  moq: 'moq mindestmenge mindestbestellmenge',
  booking: 'booking bookings buchung buchungen',
  sample: 'sample samples muster',
  quote: 'quote quotes quotation quotations angebot angebote rfq',
  sales: 'sales sale verkauf verkaufs vertrieb vertriebs',
  group: 'group groups gruppe gruppen grp',
  active: 'active aktiv',
  reference: 'reference references ref referenz',
  sequence: 'sequence seq reihenfolge sortierung rang rank',
  version: 'version ver versionen',
  carton: 'carton cartons karton kartons',
  paid: 'paid bezahlt gezahlt paye',
  quality: 'quality qualitat qualitaet',
  average: 'average avg durchschnitt durchschnitts',
  percent: 'percent prozent pct percentage',
  header:
    'header headers head hdr kopf master stamm stammdaten export extract data dump tab tbl all list liste',
}

/** Words and abbreviations that mean several words. */
const phrases: { readonly [word: string]: string } = {
  leadtime: 'lead time',
  pu: 'unit price',
  bestellmenge: 'order quantity',
  herkunftsland: 'origin country',
  einheitspreis: 'unit price',
  einzelpreis: 'unit price',
  stueckpreis: 'unit price',
  firmenname: 'name',
  givenname: 'first name',
  transdate: 'transaction date',
  transactiondate: 'transaction date',
  datec: 'created date',
  datef: 'date',
  vorname: 'first name',
  nachname: 'last name',
  surname: 'last name',
  familienname: 'last name',
  firstname: 'first name',
  lastname: 'last name',
  nbjour: 'net days',
  lieferzeit: 'lead time',
  vorlaufzeit: 'lead time',
  wiederbeschaffungszeit: 'lead time',
  plifz: 'lead time',
  onhand: 'on hand',
  onorder: 'on order',
  instock: 'in stock',
  etd: 'estimated departure date',
  eta: 'estimated arrival date',
  atd: 'actual departure date',
  ata: 'actual arrival date',
  liefertermin: 'requested delivery date',
  wunschtermin: 'requested delivery date',
  liefdatum: 'requested delivery date',
  lieferdatum: 'delivery date',
  bedat: 'order date',
  nettowert: 'total amount',
  bestellwert: 'total amount',
  gesamtwert: 'total amount',
  gesamtbetrag: 'total amount',
  gesamtsumme: 'total amount',
  nettopreis: 'net price',
  bruttopreis: 'gross price',
  einkaufspreis: 'purchase price',
  ekpreis: 'purchase price',
  awb: 'house bill number',
  exfactory: 'factory date',
  xfd: 'factory date',
  rechnungsdatum: 'invoice date',
  belegdatum: 'document date',
  buchungsdatum: 'posting date',
  belegnummer: 'document number',
  stichtag: 'stock date',
  zahlungsziel: 'payment term',
  zahlungsbedingung: 'payment term',
  zahlungsbedingungen: 'payment term',
  steuernummer: 'tax number',
  ustid: 'tax number',
  ustidnr: 'tax number',
  hausnummer: 'house number',
  kurztext: 'short description',
  langtext: 'long description',
  kurzbezeichnung: 'short name',
  suchbegriff: 'search term',
  laenderkuerzel: 'country number',
  landkuerzel: 'country number',
  lieferschein: 'delivery note',
  versanddatum: 'ship date',
  lagerplatz: 'bin',
  vkpreis: 'sales price',
}

/** Words of names that mean themselves, so that joined words are split between them. */
const plain = `
  account allocated approval audit average back balance bank base batch begin bill billing bin
  book brand business buyer canceled capacity card carrier cart case cash catalog cell channel charge
  check city class close commit committed conversion count counted courier credit current cycle
  daily debit default deleted department depth diameter dimension discontinued document duty email employee
  enabled end entity entry error external extended family finish finished flag freight from full goods
  grade grand hand hazard hold image income incoming initial inner insert inspection instructions
  internal issue journal kit last late latitude ledger level local location long longitude lot
  make manager manufacture manufacturer margin measure measurement method month national need object offer offset
  old open opening option outer outstanding overdue owner pack package pallet parent part pass percent
  person picture pieces planner point port posted posting preferred prefix primary priority procurement
  production profit project promised province purchasing quality quarter raw reason record region
  registration reject remaining request resource retail return returned revision route row rule safety
  schedule scrap scrapped search secondary section sell seller selling serial service set ship shipping
  shopping short sort source special standard start state stocked step store sub subcategory subtotal
  summary tare target template territory test thumbnail thumb to today transaction transfer transit
  tree unit update usage user valid variance vat via vessel voyage week wholesale work year
  backorder reorder preorder online deadline baseline timeline airline website
  homepage terminal context corporate separate certificate template estate private community
  opportunity border recorder producer productive ordering shipper reporter supporter contactless
  paid unpaid payable receivable payer payee overview timezone lifetime runtime daytime
  ein aus kauf einkauf ware waren haus mit ohne und von bis pro je alt neu haupt unter ober
  gruppe zahl satz faktor stelle kosten lager eingang ausgang versand empfaenger empfanger absender
  person mitarbeiter benutzer abteilung beleg buchung sperre kennzeichen gueltig gultig ab
  marke hersteller qualitaet qualitat chargen charge serie seriennummer stueckliste stuckliste
  lieferanten bestell liefer rechnungs zahlungs auftrags artikel kunden`

/** Whether a piece of a name is a word, or means one. */
export const isKnownWord = (piece: string): boolean => meanings.has(piece)

const meanings = new Map<string, readonly string[]>([
  ...plain
    .trim()
    .split(/\s+/)
    .map((word) => [word, [word]] as const),
  ...Object.entries(synonyms).flatMap(([word, list]) =>
    list.split(' ').map((each) => [each, [word]] as const),
  ),
  ...Object.entries(phrases).map(([word, list]) => [word, list.split(' ')] as const),
])

/**
 * Shorter words are parts of joined words only if they are among these: others, such as `at`, are
 * in many words by chance.
 */
const partLengthMin = 4
const shortParts =
  'qty no nr num id amt sku uom tax vat net due day min max sub key web url bin lot tel po ust to on in of'
const partWords = new Set([
  ...[...meanings.keys()].filter((each) => each.length >= partLengthMin),
  ...shortParts.split(' '),
])
const partLengthMax = Math.max(...[...partWords].map((each) => each.length))
/** Longer names are not split: the time is their length times that of the longest word. */
const joinedLengthMax = 60

/** German words are joined by these, or end with them. */
const joints = ['s', 'n', 'en', 'er', 'es', 'e']

/** The words that a piece of a name means. */
export const meaningsOf = (piece: string): readonly string[] => {
  const meaning = meanings.get(piece)
  if (meaning) return meaning
  const [, stem = '', digits = ''] = /^(.*?\D)(\d+)$/.exec(piece) ?? []
  if (digits !== '') return [...meaningsOf(stem), String(Number(digits))]
  if (piece.length > joinedLengthMax || /^\d/.test(piece)) return [piece]
  return splitPiece(piece).flatMap((part) => meanings.get(part) ?? [part])
}

/** A division of the beginning of a piece. */
interface Division {
  readonly cost: number
  readonly parts: readonly string[]
  /** Whether the last part is a known word: a joint can follow. */
  readonly isKnown: boolean
}

/**
 * Divides joined words: `purchaseorderheader`, `orderqty`, `Wareneingangsdatum`. A known word costs
 * 1, and unknown letters 3 and half of their number: `revision` in `revisionnumber` becomes a word
 * although it is unknown, but `deadline` is not divided for its `line`.
 */
const splitPiece = (piece: string): readonly string[] => {
  const whole: Division = { cost: 2 + piece.length / 2, parts: [piece], isKnown: false }
  const best: (Division | undefined)[] = [{ cost: 0, parts: [], isKnown: false }]
  for (let end = 1; end <= piece.length; end += 1) {
    let cheapest: Division | undefined
    const offer = (from: number, cost: number, isKnown: boolean, part: string | null) => {
      const before = best[from]
      if (!before || (cheapest && before.cost + cost >= cheapest.cost)) return
      const parts = part === null ? before.parts : [...before.parts, part]
      cheapest = { cost: before.cost + cost, parts, isKnown }
    }
    for (let from = Math.max(0, end - partLengthMax); from < end; from += 1) {
      const part = piece.slice(from, end)
      if (partWords.has(part)) offer(from, 1, true, part)
      else if (joints.includes(part) && best[from]?.isKnown) offer(from, 0.5, false, null)
      else if (part.length >= unknownMin) offer(from, 3 + part.length / 2, false, part)
    }
    best.push(cheapest)
  }
  const division = best[piece.length]
  return division && division.cost < whole.cost ? division.parts : whole.parts
}

/** Fewer letters are not a word. */
const unknownMin = 3
