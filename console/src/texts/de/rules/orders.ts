import type { RuleSentences } from '../../rules.ts'

/** NET, SRC, ORD and PRD: partners, quotes and samples, orders and production. */
export const orderRules: RuleSentences = {
  'NET-01': {
    sentence:
      'Je Partner und Rolle gibt es höchstens einen vorrangigen Kontakt und einen vorrangigen Standort, je Rolle einen Standardstandort.',
    remedy:
      'Lassen Sie einen vorrangigen Eintrag oder Standard stehen, und entfernen Sie das Kennzeichen bei den anderen.',
    details: {
      'primary beside {}': 'vorrangig neben {code}',
      'primary beside location {}': 'vorrangig neben Standort {}',
      'default beside location {}': 'Standard neben Standort {}',
    },
  },
  'NET-02': {
    sentence:
      'Der Standardkontakt und der Standardstandort eines Lieferanten gehören zu dessen Partner.',
    remedy:
      'Wählen Sie als Standard des Lieferanten einen Kontakt und einen Standort desselben Partners.',
    details: {
      'contact {} belongs to partner {}, the supplier to {}':
        'Kontakt {code} gehört zu Partner {}, der Lieferant zu {}',
      'location {} is not a site of partner {}': 'Standort {} ist kein Standort des Partners {}',
    },
  },
  'NET-03': {
    sentence: 'Jeder Standort wird von der Marke oder von einem Partner genutzt.',
    remedy:
      'Verknüpfen Sie den Standort mit der Marke oder mit einem Partner, oder löschen Sie ihn.',
    details: {
      '{} is used neither by the brand nor by a partner':
        '{code} wird weder von der Marke noch von einem Partner genutzt',
    },
  },
  'SRC-01': {
    sentence:
      'Die Preisstaffeln einer Position schließen ohne Lücken und Überschneidungen aneinander an, und die letzte Staffel hat keine Obergrenze.',
    remedy:
      'Schließen Sie die Lücke oder beseitigen Sie die Überschneidung der Preisstaffeln, und lassen Sie die letzte offen.',
    details: {
      'from {} to {}, the next band starts at {}':
        'von {} bis {}, die nächste Staffel beginnt bei {}',
    },
  },
  'SRC-02': {
    sentence: 'Eine größere Menge kostet je Stück nicht mehr als eine kleinere.',
    remedy: 'Fragen Sie den Lieferanten, ob der Preis der größeren Menge stimmt.',
    details: {
      'unit price {} from quantity {}, {} below it': 'Stückpreis {} ab Menge {}, darunter {}',
    },
  },
  'SRC-03': {
    sentence: 'Der Stückpreis einer Position ist der Preis der Staffel, in die ihre Menge fällt.',
    remedy:
      'Übernehmen Sie den Preis der Staffel in die Position, oder korrigieren Sie die Staffel.',
    details: {
      '{} for {}, the price of the band is {}': '{} bei Menge {}, der Preis der Staffel ist {}',
      '{} for {}, which is in no band': '{} bei Menge {}, die in keine Staffel fällt',
    },
  },
  'SRC-04': {
    sentence:
      'Die Revisionen eines Angebots sind mit 1, 2, 3 … nummeriert; ein Angebot ist genau dann angenommen, wenn es eine seiner Revisionen ist.',
    remedy:
      'Nummerieren Sie die Revisionen neu, und gleichen Sie den Status des Angebots an den seiner Revisionen an.',
    details: {
      'number {} follows {}': 'Nummer {} folgt auf {}',
      'the quote is {}, accepted revisions: {}':
        'Status des Angebots: {label}, angenommene Revisionen: {}',
    },
  },
  'SRC-05': {
    sentence: 'Eine Notiz zu einer Revision gehört zum Angebot dieser Revision.',
    remedy: 'Ordnen Sie die Notiz dem Angebot ihrer Revision zu.',
    details: {
      'refers to quote {}, the revision belongs to {}':
        'bezieht sich auf Angebot {}, die Revision gehört zu {}',
    },
  },
  'SRC-06': {
    sentence:
      'Die Runden sind mit 1, 2, 3 … nummeriert; ein Muster ist genau dann freigegeben, wenn es seine letzte Runde ist.',
    remedy:
      'Nummerieren Sie die Runden neu, und gleichen Sie den Status des Musters an den seiner letzten Runde an.',
    details: {
      'number {} follows {}': 'Nummer {} folgt auf {}',
      'the sample is {}, its last round has a different result':
        'Status des Musters: {label}, das Ergebnis der letzten Runde ist ein anderes',
    },
  },
  'SRC-07': {
    sentence:
      'Ein Ergebnis gehört zu einem Punkt der Checkliste des Musters, und in einer freigegebenen Runde ist kein erforderlicher Punkt nicht bestanden.',
    remedy:
      'Ordnen Sie das Ergebnis einem Punkt der Checkliste zu, oder lassen Sie den nicht bestandenen Punkt in einer weiteren Runde freigeben.',
    details: {
      'refers to checklist {}, sample {} has {}':
        'bezieht sich auf Checkliste {}, Muster {code} hat {}',
      'the checklist has no item {}': 'die Checkliste hat keinen Punkt {code}',
      '{} is required and failed, the round is {}':
        '{code} ist erforderlich und nicht bestanden, Entscheidung der Runde: {label}',
    },
  },
  'SRC-08': {
    sentence:
      'Die Maße einer freigegebenen Runde liegen innerhalb der Toleranz der gradierten Werte ihrer SKU (oder der Basisgröße).',
    remedy:
      'Klären Sie mit der technischen Entwicklung, ob das Muster mit diesen Maßen freigegeben werden darf.',
    details: { '{} measures {}, {} is wanted': '{code} misst {}, verlangt ist {}' },
  },
  'ORD-01': {
    sentence: 'Gesamtmenge und Gesamtbetrag einer Bestellung sind die Summen ihrer Positionen.',
    remedy:
      'Vergleichen Sie die Bestellung mit dem Dokument, das der Lieferant erhalten hat, und korrigieren Sie dann die Summen oder die Positionen.',
    details: {
      'totals are quantity {} and amount {} {}; its items add up to {} and {} {}':
        'angegeben sind Menge {} und Betrag {money}; die Summe der Positionen ist {} und {money}',
    },
  },
  'ORD-02': {
    sentence:
      'Die Revisionsnummer einer Bestellung ist die höchste ihrer angewendeten Änderungen, oder 0, wenn es keine gibt.',
    remedy:
      'Setzen Sie die Revisionsnummer der Bestellung auf die der letzten angewendeten Änderung.',
    details: {
      'revision {}, the last applied amendment is {}':
        'Revision {}, die letzte angewendete Änderung ist {}',
    },
  },
  'ORD-03': {
    sentence:
      'Eine Bestellung hat den Lieferanten und die Währung des Angebots, auf dem sie beruht.',
    remedy:
      'Korrigieren Sie den Lieferanten oder die Währung der Bestellung, oder geben Sie eine andere Angebotsrevision an.',
    details: {
      'supplier {} in {}, quote {} is from {} in {}':
        'Lieferant {} in {}, Angebot {code} ist von {} in {}',
    },
  },
  'ORD-04': {
    sentence: 'Die SKU und die Produktversion einer Bestellposition gehören zum selben Produkt.',
    remedy: 'Wählen Sie die SKU oder die Version des Produkts, das bestellt wurde.',
    details: {
      'SKU {} belongs to product {}, the version to {}':
        'SKU {code} gehört zu Produkt {}, die Version zu {}',
    },
  },
  'ORD-05': {
    sentence:
      'Der Stückpreis in Basiswährung ist Stückpreis × Wechselkurs der Bestellung, auf vier Stellen.',
    remedy:
      'Berechnen Sie den Stückpreis in Basiswährung aus dem Stückpreis und dem Wechselkurs der Bestellung neu.',
    details: {
      'unitPriceBase is {}, unitPrice x exchangeRate is {}':
        'Stückpreis in Basiswährung {}, Stückpreis × Wechselkurs ergibt {}',
    },
  },
  'ORD-06': {
    sentence:
      'Nur angewendete Änderungen haben einen Zeitpunkt der Anwendung; abgelehnte Änderungen haben einen Grund; die Angebotsrevision einer Änderung gehört zum Angebot der Bestellung.',
    remedy:
      'Vervollständigen Sie die Änderung: den Zeitpunkt der Anwendung, den Grund der Ablehnung oder die richtige Angebotsrevision.',
    details: {
      '{}, applied at {}': '{label}, angewendet am {}',
      '{} without a reason': '{label} ohne Grund',
      'refers to a revision of quote {}, the order is based on {}':
        'bezieht sich auf eine Revision des Angebots {}, die Bestellung beruht auf {}',
    },
  },
  'ORD-07': {
    sentence:
      'Eine Änderung, die auf eine inzwischen geänderte Bestellung angewendet wird, hat einen Grund der Abweichung.',
    remedy:
      'Fragen Sie, wer die Änderung angewendet hat, und halten Sie den Grund der Abweichung fest.',
    details: {
      'written against {}, the order changed before {}':
        'geschrieben zum Stand {}, die Bestellung wurde vor {} geändert',
    },
  },
  'PRD-01': {
    sentence:
      'Die Bestellposition einer Position des Produktionslaufs gehört zur Bestellung des Laufs.',
    remedy: 'Korrigieren Sie die Bestellposition der Position des Produktionslaufs.',
    details: {
      'the item belongs to order {}, the run to {}':
        'die Position gehört zu Bestellung {}, der Lauf zu {}',
    },
  },
  'PRD-02': {
    sentence:
      'Nicht zurückgezogene Produktionsläufe fertigen höchstens die bestellte Menge einer Position zuzüglich der Toleranz.',
    remedy:
      'Lassen Sie sich die Menge vom Lieferanten bestätigen; lassen Sie mehr als die Toleranz genehmigen, oder korrigieren Sie den Lauf.',
    details: {
      'ordered {}, allowed with tolerance {}, made {}':
        'bestellt {}, mit Toleranz zulässig {}, gefertigt {}',
    },
  },
  'PRD-03': {
    sentence:
      'Die Revisionen einer Position des Produktionslaufs bilden eine Kette (jede vorherige Menge ist die Menge davor), die bei der aktuellen Menge endet.',
    remedy: 'Vervollständigen Sie die Kette der Revisionen dieser Position.',
    details: {
      'previousQuantity is {}, the quantity before it is {}':
        'vorherige Menge {}, die Menge davor ist {}',
      'the revisions end at {}, the quantity of the run item is {}':
        'die Revisionen enden bei {}, die Menge der Position ist {}',
    },
  },
  'PRD-04': {
    sentence:
      'Ein zurückgezogener Produktionslauf nennt Person und Grund, und nichts von seiner Ware wurde versandt.',
    remedy:
      'Geben Sie den Grund der Rücknahme an, oder ordnen Sie die versandte Ware einem anderen Lauf zu.',
    details: {
      'retracted by {}, reason {}': 'zurückgezogen von {}, Grund {code}',
      'retracted at {}, but its goods were shipped':
        'zurückgezogen am {}, aber die Ware wurde versandt',
    },
  },
  'PRD-05': {
    sentence:
      'Der Fertigungsort eines Produktionslaufs ist ein Standort des Lieferanten der Bestellung.',
    remedy:
      'Fügen Sie den Standort beim Partner des Lieferanten hinzu, oder korrigieren Sie den Fertigungsort des Laufs.',
    details: {
      'origin {} is not a site of supplier {}':
        'Fertigungsort {} ist kein Standort des Lieferanten {code}',
    },
  },
}
