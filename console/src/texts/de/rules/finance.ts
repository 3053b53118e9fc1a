import type { RuleSentences } from '../../rules.ts'

/** FIN and DOC: invoices, payments and documents. */
export const financeRules: RuleSentences = {
  'FIN-01': {
    sentence:
      'Zwischensumme = Summe der Positionen, Steuer = Summe ihrer Steuern, Gesamtbetrag = Zwischensumme + Steuer.',
    remedy:
      'Vergleichen Sie die Rechnung mit dem Dokument, und korrigieren Sie dann ihre Positionen oder ihre Summen.',
    details: {
      'subtotal {} {}, tax {} {}, total {} {}, its lines add up to {} {} and {} {}':
        'Zwischensumme {money}, Steuer {money}, Gesamtbetrag {money}, die Summen der Positionen sind {money} und {money}',
    },
  },
  'FIN-02': {
    sentence: 'Der Gesamtbetrag auf dem Dokument ist der Gesamtbetrag des Datensatzes.',
    remedy:
      'Vergleichen Sie mit dem Dokument: Korrigieren Sie, was falsch erfasst wurde, oder verlangen Sie eine berichtigte Rechnung.',
    details: { 'printed {} {}, recorded {} {}': 'auf dem Dokument {money}, erfasst {money}' },
  },
  'FIN-03': {
    sentence:
      'Der Betrag einer Position ist Menge × Stückpreis auf den Cent, wenn beide angegeben sind.',
    remedy:
      'Vergleichen Sie die Position mit dem Dokument, und korrigieren Sie Menge, Preis oder Betrag.',
    details: { 'amount {}, {} at {} give {}': 'Betrag {}, {} zu {} ergibt {}' },
  },
  'FIN-04': {
    sentence:
      'Bezahlt = Summe der nicht rückgebuchten Zuordnungen; offener Betrag = Gesamtbetrag − Gutschriften − bezahlt.',
    remedy: 'Berechnen Sie den bezahlten und den offenen Betrag aus den Zahlungszuordnungen neu.',
    details: {
      'paid {} {}, its settlements add up to {} {}; balance {} {}, expected {} {}':
        'bezahlt {money}, die Summe der Zuordnungen ist {money}; offen {money}, erwartet {money}',
    },
  },
  'FIN-05': {
    sentence:
      'Gutschriften sind negativ und ergeben zusammen den gutgeschriebenen Betrag der Rechnung, die sie mindern, in derselben Währung und vom selben Partner.',
    remedy:
      'Korrigieren Sie Vorzeichen, Partner oder Währung der Gutschrift, oder den gutgeschriebenen Betrag der Rechnung.',
    details: {
      'credit note with the amount {} {}': 'Gutschrift über {money}',
      'credited {} {}, its credit notes add up to {} {}':
        'gutgeschrieben {money}, die Summe der Gutschriften ist {money}',
      'in {} of partner {}, invoice {} is in {} of {}':
        'in {} von Partner {}, Rechnung {code} ist in {} von {}',
    },
  },
  'FIN-06': {
    sentence:
      'Die nicht rückgebuchten Zuordnungen einer Zahlung ergeben zusammen höchstens ihren Betrag.',
    remedy: 'Buchen Sie die Zuordnung zurück, die zu viel ist.',
    details: { 'paid {} {}, settled {} {}': 'bezahlt {money}, zugeordnet {money}' },
  },
  'FIN-07': {
    sentence: 'Eine abgeschlossene Zahlung ist vollständig zugeordnet.',
    remedy:
      'Ordnen Sie den Rest der Zahlung einer Rechnung zu, oder fordern Sie ihn vom Partner zurück.',
    details: { 'paid {} {}, settled {} {}': 'bezahlt {money}, zugeordnet {money}' },
  },
  'FIN-08': {
    sentence:
      'Eine Zuordnung bezahlt den Partner, der die Rechnung gestellt hat; die Rechnung und die Vereinbarung des Meilensteins haben dieselbe Bestellung.',
    remedy:
      'Buchen Sie die Zuordnung zurück, und ordnen Sie die Zahlung einer Rechnung des richtigen Partners und der richtigen Bestellung zu.',
    details: {
      'pays partner {}, the invoice is from {} for order {}, the agreement for {}':
        'bezahlt Partner {}, die Rechnung ist von {} für Bestellung {}, die Vereinbarung für {}',
    },
  },
  'FIN-09': {
    sentence:
      'Die Meilensteine einer Vereinbarung sind mit 1, 2, 3 … nummeriert und ergeben zusammen ihren Gesamtbetrag; ein Betrag mit Prozentsatz ist dieser Anteil am Gesamtbetrag.',
    remedy:
      'Nummerieren Sie die Meilensteine neu, und passen Sie ihre Beträge an die Summe der Vereinbarung an.',
    details: {
      'number {} follows {}': 'Nummer {} folgt auf {}',
      'total {} {}, its milestones add up to {} {}':
        'Gesamtbetrag {money}, die Summe der Meilensteine ist {money}',
      'amount {} {}, {} percent of {} {} is {} {}':
        'Betrag {money}, {} Prozent von {money} sind {money}',
    },
  },
  'FIN-10': {
    sentence: 'Der Gesamtbetrag einer Vereinbarung ist der Gesamtbetrag ihrer Bestellung.',
    remedy:
      'Vereinbaren Sie die Zahlung der geänderten Bestellung, oder korrigieren Sie den Gesamtbetrag der Vereinbarung.',
    details: {
      'total {} {}, order {} is {} {}': 'Gesamtbetrag {money}, Bestellung {code}: {money}',
    },
  },
  'FIN-11': {
    sentence:
      'Ausgeglichener und erlassener Betrag eines Meilensteins sind zusammen höchstens sein Betrag, und gleich diesem, sobald er bezahlt ist.',
    remedy:
      'Korrigieren Sie den ausgeglichenen oder den erlassenen Betrag, oder den Status des Meilensteins.',
    details: {
      '{}, amount {}, settled {}, waived {}': '{label}, Betrag {}, ausgeglichen {}, erlassen {}',
    },
  },
  'FIN-12': {
    sentence:
      'Eine bezahlte Rechnung hat keinen offenen Betrag; eine teilweise bezahlte hat eine Zahlung und einen offenen Betrag.',
    remedy: 'Setzen Sie den Status, der sich aus bezahltem und offenem Betrag ergibt.',
    details: { '{}, paid {} {}, balance {} {}': '{label}, bezahlt {money}, offen {money}' },
  },
  'FIN-13': {
    sentence: 'Die berechnete Menge einer Sendungsposition ist höchstens die versandte.',
    remedy:
      'Lehnen Sie die Rechnung ab, oder verlangen Sie eine Gutschrift für die nicht versandten Stücke.',
    details: { 'shipped {}, invoiced {}': 'versandt {}, berechnet {}' },
  },
  'FIN-14': {
    sentence: 'Ware wird zum bestellten Preis berechnet.',
    remedy:
      'Fragen Sie den Einkauf, ob der neue Preis vereinbart ist; beanstanden Sie sonst die Rechnung.',
    details: { 'invoiced at {} {}, ordered at {} {}': 'berechnet zu {money}, bestellt zu {money}' },
  },
  'FIN-15': {
    sentence:
      'Die auf Rechnungen einer Bestellung abgezogenen Anzahlungen sind höchstens die dafür berechneten Anzahlungen.',
    remedy: 'Bitten Sie den Lieferanten, den Abzug auf der letzten Rechnung zu berichtigen.',
    details: {
      'deposits invoiced {} {}, deducted {} {}': 'Anzahlungen berechnet {money}, abgezogen {money}',
    },
  },
  'FIN-16': {
    sentence:
      'Berechnete Kosten stehen mit ihrem Betrag auf der Rechnung, geschätzte auf keiner; Betrag in Basiswährung = Betrag × Wechselkurs.',
    remedy:
      'Vergleichen Sie die Kosten mit der Rechnung des Spediteurs, und korrigieren Sie dann ihren Betrag oder ihre Phase.',
    details: {
      '{} at {} {}, invoice lines: {} for {} {}':
        '{label} mit {money}, Rechnungspositionen: {} über {money}',
      'baseAmount is {}, amount x exchangeRate is {}':
        'Betrag in Basiswährung {}, Betrag × Wechselkurs ergibt {}',
    },
  },
  'FIN-17': {
    sentence: 'Wenn Lieferant und Partner angegeben sind, gehört der Lieferant zu diesem Partner.',
    remedy: 'Wählen Sie einen Lieferanten dieses Partners.',
    details: {
      'partner {}, supplier {} belongs to {}': 'Partner {}, Lieferant {code} gehört zu {}',
    },
  },
  'FIN-18': {
    sentence:
      'Der eingegangene Betrag und die abgezogene Gebühr ergeben zusammen den gesendeten Betrag, in derselben Währung.',
    remedy: 'Fragen Sie die Bank, welche Gebühr unterwegs abgezogen wurde, und erfassen Sie sie.',
    details: {
      'sent {} {}, arrived {} {} less {} {}':
        'gesendet {money}, eingegangen {money} nach Abzug von {money}',
    },
  },
  'FIN-19': {
    sentence:
      'Dreiwege-Abgleich: Der berechnete Betrag einer Bestellung abzüglich Gutschriften ist die eingegangene Menge zum bestellten Preis.',
    remedy:
      'Verlangen Sie vor der nächsten Zahlung eine Gutschrift für das, was nicht eingegangen ist.',
    details: {
      'invoiced {} {}, received goods worth {} {}':
        'berechnet {money}, eingegangene Ware im Wert von {money}',
    },
  },
  'DOC-01': {
    sentence:
      'Eine Notiz gehört zu genau einem Datensatz; ein Bild gehört zu mindestens einem, außer es ist ein Logo.',
    remedy:
      'Ordnen Sie die Notiz dem einen Datensatz zu, um den es geht, und das Bild mindestens einem.',
    details: {
      'refers to {} records': 'bezieht sich auf {} Datensätze',
      '{} ({}) shows no record': '{code} ({label}) zeigt keinen Datensatz',
    },
  },
  'DOC-02': {
    sentence:
      'Ein Dokument, das ein anderes ersetzt, hat die nächste Versionsnummer, und das andere ist als ersetzt gekennzeichnet.',
    remedy:
      'Setzen Sie das ersetzte Dokument auf „ersetzt“, und zählen Sie die Version um eins hoch.',
    details: {
      'version {} replaces version {}, which is {}':
        'Version {} ersetzt Version {} mit dem Status: {label}',
    },
  },
  'DOC-03': {
    sentence:
      'Ein Optionswert mit einer Version des Farbmusters hat ein Farbmuster in dieser Version.',
    remedy: 'Laden Sie das Farbmuster der aktuellen Version hoch.',
    details: {
      'there is no swatch of version {}': 'es gibt kein Farbmuster in Version {}',
    },
  },
  'DOC-04': {
    sentence: 'Ein Zertifikat in Gebrauch ist nicht abgelaufen.',
    remedy:
      'Bitten Sie den Partner um das erneuerte Zertifikat, oder setzen Sie das Dokument auf „abgelaufen“.',
    details: { '{}, expired {}': '{label}, abgelaufen am {}' },
  },
}
