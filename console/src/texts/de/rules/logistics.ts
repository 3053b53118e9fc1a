import type { RuleSentences } from '../../rules.ts'

/** SHP, PKL, RCV and INV: shipments, packing lists, receipts and inventory. */
export const logisticsRules: RuleSentences = {
  'SHP-01': {
    sentence:
      'SKU, Bestellposition und Position des Produktionslaufs einer Sendungs- oder Buchungsposition passen zueinander.',
    remedy: 'Korrigieren Sie die SKU, die Bestellposition oder die Position des Produktionslaufs.',
    details: {
      'SKU {} of order item {}, the run item has order item {}, the order item has SKU {}':
        'SKU {} der Bestellposition {}, der Produktionslauf nennt Bestellposition {}, die Bestellposition hat SKU {}',
    },
  },
  'SHP-02': {
    sentence:
      'Die Sendungen der Bestellungen sind genau die Paare, die sich aus den Sendungspositionen ergeben.',
    remedy:
      'Ergänzen Sie das fehlende Paar aus Bestellung und Sendung, oder löschen Sie das Paar ohne Positionen.',
    details: {
      'no item of shipment {} belongs to order {}':
        'keine Position der Sendung {} gehört zu Bestellung {}',
      'order-shipments lacks order {} on shipment {}':
        'das Paar aus Bestellung {} und Sendung {} fehlt',
    },
  },
  'SHP-03': {
    sentence:
      'Die versandte Menge einer Position des Produktionslaufs ist höchstens die gefertigte (weitergeleitete Ware zählt einmal).',
    remedy:
      'Vergleichen Sie die Packliste mit dem Produktionsbericht, und korrigieren Sie dann die versandte oder die gefertigte Menge.',
    details: { 'made {}, shipped {}': 'gefertigt {}, versandt {}' },
  },
  'SHP-04': {
    sentence:
      'Die Kartons enthalten höchstens die Menge einer Sendungsposition, und genau diese Menge, sobald die Sendung unterwegs ist.',
    remedy:
      'Vergleichen Sie die Kartons mit der Packliste, und korrigieren Sie dann die Kartons oder die Sendungsposition.',
    details: {
      'quantity {}, in cartons {}, the shipment is {}':
        'Menge {}, in Kartons {}, Status der Sendung: {label}',
    },
  },
  'SHP-05': {
    sentence:
      'Ein Karton und die Sendungsposition darin gehören zur selben Sendung und haben dieselbe SKU.',
    remedy:
      'Ordnen Sie die Position einem Karton ihrer eigenen Sendung zu, oder korrigieren Sie ihre SKU.',
    details: {
      'carton on shipment {} with SKU {}, item on {} with {}':
        'Karton in Sendung {} mit SKU {}, Position in {} mit {}',
    },
  },
  'SHP-06': {
    sentence:
      'Das Bruttogewicht eines Kartons ist mindestens sein Nettogewicht, und sein Volumen ist das Produkt seiner Seiten.',
    remedy: 'Fragen Sie den Lieferanten nach den richtigen Gewichten und Maßen des Kartons.',
    details: {
      'gross {} kg, net {} kg': 'brutto {} kg, netto {} kg',
      'volumeCbm is {}, the sides give {}': 'Volumen {} m³, aus den Seiten folgt {} m³',
    },
  },
  'SHP-07': {
    sentence: 'Die Summen einer Sendung ergeben sich aus ihren Positionen und Kartons.',
    remedy: 'Berechnen Sie die Summen der Sendung aus ihren Positionen und Kartons neu.',
    details: {
      'totalQuantity is {}, its items add up to {}':
        'Gesamtmenge {}, die Summe der Positionen ist {}',
      'totals are cartons {}, net {} kg, gross {} kg, {} m3; its cartons add up to {}, {}, {}, {}':
        'angegeben sind Kartons {}, netto {} kg, brutto {} kg, {} m³; die Summen der Kartons sind {}, {}, {}, {}',
    },
  },
  'SHP-08': {
    sentence:
      'Die Teilstrecken sind mit 1, 2, 3 … nummeriert; jede beginnt, wo die vorige endet; die erste beginnt am Abgangsort der Sendung, und die letzte endet an ihrem Zielort.',
    remedy:
      'Nummerieren Sie die Teilstrecken neu, und lassen Sie jede dort beginnen, wo die vorige endet.',
    details: {
      'number {} follows {}': 'Nummer {} folgt auf {}',
      'from {} to {}, the previous leg ended at {}, the shipment goes from {} to {}':
        'von {} nach {}, die vorige Teilstrecke endet in {}, die Sendung geht von {} nach {}',
    },
  },
  'SHP-09': {
    sentence:
      'Abfahrten liegen vor Ankünften, und eine Teilstrecke beginnt nicht, bevor die vorige angekommen ist.',
    remedy: 'Fragen Sie den Spediteur nach den richtigen Abfahrts- und Ankunftszeiten.',
    details: {
      'departs {} (estimated {}), arrives {} (estimated {})':
        'Abfahrt {} (voraussichtlich {}), Ankunft {} (voraussichtlich {})',
      'left {}, the previous leg arrived {}': 'Abfahrt {}, Ankunft der vorigen Teilstrecke {}',
    },
  },
  'SHP-10': {
    sentence:
      'Eine Teilstrecke befördert Positionen ihrer Sendung, und höchstens die versandte Menge.',
    remedy:
      'Korrigieren Sie die Menge der Teilstrecke, oder ordnen Sie die Position einer Teilstrecke ihrer eigenen Sendung zu.',
    details: {
      'carries {} on shipment {}, the item has {} on {}':
        'befördert {} in Sendung {}, die Position hat {} in {}',
    },
  },
  'SHP-11': {
    sentence: 'Die Buchung einer Teilstrecke ist eine der Buchungen ihrer Sendung.',
    remedy:
      'Verknüpfen Sie die Buchung mit der Sendung, oder korrigieren Sie die Buchung der Teilstrecke.',
    details: {
      'booking {} does not belong to shipment {}': 'Buchung {} gehört nicht zu Sendung {}',
    },
  },
  'SHP-12': {
    sentence:
      'Die Sendungen einer Buchung befördern höchstens die gebuchte Menge einer Bestellposition.',
    remedy:
      'Bitten Sie den Spediteur, die Buchung zu erweitern, oder korrigieren Sie die gebuchte Menge.',
    details: {
      'booked {} on {}, carried {}': 'gebucht {} mit {code}, befördert {}',
      'carried {} on {}, booked none': 'befördert {} mit {code}, nichts gebucht',
    },
  },
  'SHP-13': {
    sentence:
      'Eine Herkunft verbindet zwei verschiedene Positionen derselben SKU und ist höchstens so groß wie die Menge ihres Ziels; Herkünfte bilden keinen Kreis.',
    remedy: 'Korrigieren Sie die Positionen oder die Menge der Herkunft, oder löschen Sie sie.',
    details: {
      '{} of item {} (SKU {}) became part of {} ({} of SKU {})':
        '{} der Position {} (SKU {}) wurden Teil von {} ({} der SKU {})',
      'part of a circle of lineages': 'Teil eines Kreises von Herkünften',
    },
  },
  'SHP-14': {
    sentence:
      'Eine Sendung bringt der Marke Ware: Sie hat einen Lieferanten, oder Positionen einer Bestellung oder eines Produktionslaufs.',
    remedy:
      'Nennen Sie den Lieferanten oder die Bestellpositionen der Sendung. Lassen Sie Lieferungen an Kunden weg: Verkäufe gehören nicht hierher.',
    details: {
      'no supplier, no order item and no run item':
        'kein Lieferant, keine Bestellposition und keine Position eines Produktionslaufs',
    },
  },
  'PKL-01': {
    sentence: 'Die angegebenen Summen einer Packliste sind die Summen ihrer Zeilen.',
    remedy:
      'Bitten Sie den Lieferanten um eine berichtigte Packliste, oder korrigieren Sie, was daraus erfasst wurde.',
    details: {
      'states cartons {}, pieces {}, net {} kg, gross {} kg, {} m3; its lines add up to {}, {}, {}, {}, {}':
        'angegeben sind Kartons {}, Stück {}, netto {} kg, brutto {} kg, {} m³; die Summen der Zeilen sind {}, {}, {}, {}, {}',
    },
  },
  'PKL-02': {
    sentence:
      'Eine Packliste stimmt mit den dafür erfassten Kartons überein: Anzahl, Stück, Bruttogewicht.',
    remedy:
      'Zählen Sie die Kartons der Sendung nach, und bitten Sie den Lieferanten um eine berichtigte Packliste.',
    details: {
      'states cartons {}, pieces {}, gross {} kg; its cartons add up to {}, {}, {}':
        'angegeben sind Kartons {}, Stück {}, brutto {} kg; die Summen der Kartons sind {}, {}, {}',
    },
  },
  'PKL-03': {
    sentence: 'Bestellung, Sendung und Lieferant einer Packliste passen zueinander.',
    remedy: 'Korrigieren Sie die Bestellung oder die Sendung der Packliste.',
    details: {
      'supplier {}, order {} has supplier {}, shipment {} has {}':
        'Lieferant {}, Bestellung {code} hat Lieferant {}, Sendung {code} hat {}',
      'order {} is not on shipment {}': 'Bestellung {} ist nicht in Sendung {}',
    },
  },
  'PKL-04': {
    sentence:
      'Die Menge einer Zeile ist Anzahl Kartons × Menge je Karton; eine abgeglichene Zeile hat die SKU ihrer Sendungsposition.',
    remedy:
      'Vergleichen Sie die Zeile mit dem Dokument, und korrigieren Sie, was falsch erfasst wurde.',
    details: {
      'states {}, {} x {} per carton is {}': 'angegeben {}, {} × {} je Karton ergibt {}',
      'matched with SKU {}, the shipment item has {}':
        'abgeglichen mit SKU {}, die Sendungsposition hat {}',
    },
  },
  'RCV-01': {
    sentence:
      'Beschädigte und abgelehnte Menge zusammen sind höchstens die eingegangene; eine Abweichung oder ein Schaden hat einen Grund.',
    remedy: 'Fragen Sie das Lager nach dem Grund der Abweichung, oder lassen Sie neu zählen.',
    details: {
      'received {}, damaged {}, rejected {}': 'eingegangen {}, beschädigt {}, abgelehnt {}',
      'expected {}, received {}, damaged {}, without a reason':
        'erwartet {}, eingegangen {}, beschädigt {}, ohne Grund',
    },
  },
  'RCV-02': {
    sentence:
      'Die Eingänge einer Sendungsposition ergeben die versandte Menge (eine Abweichung ist eine Unter- oder Überlieferung, kein Fehler der Daten).',
    remedy:
      'Fordern Sie fehlende Stücke beim Lieferanten oder beim Spediteur ein, und verlangen Sie eine Gutschrift.',
    details: { 'shipped {}, received {}': 'versandt {}, eingegangen {}' },
  },
  'RCV-03': {
    sentence:
      'Ware geht an einem Standort ein, der Ware annimmt und Zielort der Sendung ist; die Position einer Zeile gehört zur Sendung des Wareneingangs.',
    remedy:
      'Korrigieren Sie den Standort oder die Sendung des Wareneingangs, oder lassen Sie den Standort Ware annehmen.',
    details: {
      'received at {}, which does not receive goods':
        'eingegangen an Standort {}, der keine Ware annimmt',
      'received at {}, shipment {} goes to {}':
        'eingegangen an Standort {}, Sendung {code} geht nach {}',
      'on receipt {} of shipment {}, its item is on {}':
        'in Wareneingang {code} der Sendung {}, die Position ist in {}',
    },
  },
  'RCV-04': {
    sentence:
      'Eine eingegangene Sendung hat einen abgeschlossenen Wareneingang, der nicht vor ihrer Lieferung liegt.',
    remedy:
      'Schließen Sie den Wareneingang ab, oder korrigieren Sie seinen Zeitpunkt oder den Status der Sendung.',
    details: {
      'delivered {}, completed receipts: {}, the first {}':
        'geliefert {}, abgeschlossene Wareneingänge: {}, der erste {}',
    },
  },
  'INV-01': {
    sentence:
      'Lagerbestand = verfügbar + reserviert + beschädigt + Qualitätssperre, alle mindestens 0, an einem Standort der Marke, der Ware annimmt.',
    remedy: 'Zählen Sie den Bestand nach, und korrigieren Sie seine Teile.',
    details: {
      '{} on hand, {} available, {} reserved, {} damaged, {} on hold':
        '{} auf Lager, {} verfügbar, {} reserviert, {} beschädigt, {} gesperrt',
      'stored at {}, which does not receive goods':
        'gelagert an Standort {}, der keine Ware annimmt',
    },
  },
  'INV-02': {
    sentence:
      'Der Bestand einer SKU an einem Standort ist höchstens die dort eingegangene Menge (wenn die Marke keine anderen Zugänge erfasst).',
    remedy:
      'Suchen Sie nach einem fehlenden Wareneingang oder einer Umlagerung, oder zählen Sie den Bestand nach.',
    details: { 'holds {}, received {}': 'Bestand {}, eingegangen {}' },
  },
}
