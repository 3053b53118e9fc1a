import type { RuleSentences } from '../../rules.ts'

/** CAT, DIM and REF: products, dimensions and reference data. */
export const productRules: RuleSentences = {
  'CAT-01': {
    sentence: 'Eine SKU und ihre Produktoption gehören zum selben Produkt.',
    remedy: 'Korrigieren Sie das Produkt oder die Produktoption der SKU.',
    details: {
      'belongs to product {}, its option {} to product {}':
        'gehört zu Produkt {}, die Option {code} zu Produkt {}',
    },
  },
  'CAT-02': {
    sentence:
      'Eine SKU hat genau einen Wert für jede Dimension aus der Dimensionsgruppe ihres Produkts.',
    remedy: 'Ergänzen Sie die fehlenden Dimensionswerte der SKU, oder entfernen Sie überzählige.',
    details: { '{} values of dimension {}': '{} Werte der Dimension {code}' },
  },
  'CAT-03': {
    sentence: 'Keine zwei SKUs einer Produktoption haben dieselben Dimensionswerte.',
    remedy:
      'Führen Sie die doppelten SKUs zusammen, oder korrigieren Sie die Dimensionswerte einer von ihnen.',
    details: { 'the same dimension values as {}': 'dieselben Dimensionswerte wie {code}' },
  },
  'CAT-04': {
    sentence: 'Eine SKU hat nur Dimensionswerte, in denen ihre Produktoption angeboten wird.',
    remedy:
      'Bieten Sie die Produktoption in diesem Dimensionswert an, oder korrigieren Sie den Wert der SKU.',
    details: {
      '{} is in {}, which its product option is not offered in':
        '{code} hat den Wert {code}, in dem die Produktoption nicht angeboten wird',
    },
  },
  'CAT-05': {
    sentence:
      'Eine Produktoption hat höchstens einen Wert je Option, und keine zwei Optionen eines Produkts haben dieselben Werte.',
    remedy:
      'Entfernen Sie den überzähligen Optionswert, oder führen Sie die gleichen Produktoptionen zusammen.',
    details: {
      'the option already has the value {}': 'die Option hat bereits den Wert {code}',
      'the same option values as {}': 'dieselben Optionswerte wie {code}',
    },
  },
  'CAT-06': {
    sentence:
      'Die Versionen eines Produkts sind mit 1, 2, 3 … nummeriert, und höchstens eine ist freigegeben.',
    remedy:
      'Nummerieren Sie die Versionen neu, und nehmen Sie alle freigegebenen Versionen außer der aktuellen außer Gebrauch.',
    details: {
      'number {} follows {}': 'Nummer {} folgt auf {}',
      'approved beside version {}': 'freigegeben neben Version {}',
    },
  },
  'CAT-07': {
    sentence:
      'Eine Stückliste oder Maßtabelle und die SKUs, für die sie gilt, gehören zum Produkt ihrer Version.',
    remedy:
      'Ordnen Sie die Stückliste oder Maßtabelle SKUs ihres eigenen Produkts zu, oder korrigieren Sie ihre Version.',
    details: {
      'belongs to product {}, its version to product {}':
        'gehört zu Produkt {}, die Version zu Produkt {}',
      'SKU {} belongs to product {}, the bill to {}':
        'SKU {code} gehört zu Produkt {}, die Stückliste zu {}',
      'SKU {} belongs to product {}, the table to {}':
        'SKU {code} gehört zu Produkt {}, die Maßtabelle zu {}',
    },
  },
  'CAT-08': {
    sentence:
      'Die Gesamtkosten einer Komponente sind Menge × (1 + Verschnitt in Prozent / 100) × Stückpreis auf vier Stellen, und die Gesamtkosten der Stückliste sind die Summe ihrer Komponenten.',
    remedy: 'Berechnen Sie die Gesamtkosten der Komponente und der Stückliste neu.',
    details: {
      'extendedCost is {}, the figures make {}': 'Gesamtkosten {}, aus den Angaben folgt {}',
      'totalCost is {}, the components add up to {}':
        'Gesamtkosten {}, die Summe der Komponenten ist {}',
    },
  },
  'CAT-09': {
    sentence: 'Die Materialvariante einer Komponente ist eine Variante ihres Materials.',
    remedy: 'Wählen Sie eine Variante des Materials der Komponente.',
    details: {
      'variant {} belongs to material {}, the component has {}':
        'Variante {code} gehört zu Material {}, die Komponente hat {}',
    },
  },
  'CAT-10': {
    sentence: 'Die Fasern eines Materials ergeben zusammen 100 Prozent.',
    remedy: 'Korrigieren Sie die Zusammensetzung, sodass die Anteile zusammen 100 ergeben.',
    details: { 'the fibres make {} percent': 'die Fasern ergeben {} Prozent' },
  },
  'CAT-11': {
    sentence: 'Die gradierten Werte decken jeden Messpunkt der Tabelle genau einmal ab.',
    remedy: 'Ergänzen Sie die fehlenden gradierten Werte, oder entfernen Sie doppelte.',
    details: {
      '{} is missing': '{code} fehlt',
      '{} is not a point of the table': '{code} ist kein Messpunkt der Tabelle',
      '{} is there twice': '{code} ist doppelt vorhanden',
    },
  },
  'CAT-12': {
    sentence:
      'Ein gradierter Wert ist Basiswert + Gradiersprung × Schritte ab der Basisgröße, wenn ein Gradiersprung angegeben ist.',
    remedy:
      'Berechnen Sie den gradierten Wert neu, oder leeren Sie den Gradiersprung, wenn der Messpunkt von Hand gradiert wird.',
    details: { '{} is {}, {} by its steps': '{code} ist {}, nach den Schritten {}' },
  },
  'CAT-13': {
    sentence: 'Die betroffenen Felder sind Feldnamen von Stücklistenkomponenten.',
    remedy: 'Entfernen Sie die unbekannten Feldnamen aus den betroffenen Feldern.',
    details: { 'no field is called {}': 'kein Feld heißt {code}' },
  },
  'CAT-14': {
    sentence: 'Ein Produkt hat keine Beziehung zu sich selbst.',
    remedy: 'Löschen Sie die Beziehung des Produkts zu sich selbst.',
    details: { 'related to itself ({})': 'Beziehung zu sich selbst ({label})' },
  },
  'CAT-15': {
    sentence:
      'Eine Kategorie liegt eine Ebene unter ihrer übergeordneten und hat dieselbe Art; Produkte haben Produktkategorien und Materialien Materialkategorien.',
    remedy:
      'Korrigieren Sie Ebene, übergeordnete Kategorie oder Art der Kategorie, oder ordnen Sie den Datensatz einer anderen zu.',
    details: {
      'level {} and {}, its parent level {} and {}':
        'Ebene {} und {label}, übergeordnet Ebene {} und {label}',
      'in {}, a {} category': 'in {code}, Art der Kategorie: {label}',
    },
  },
  'CAT-16': {
    sentence: 'Jeder Schlüssel der eigenen Felder ist für diese Art von Datensatz definiert.',
    remedy: 'Definieren Sie das eigene Feld, oder entfernen Sie den Schlüssel aus dem Datensatz.',
    details: { 'no definition of {}': 'keine Definition von {code}' },
  },
  'DIM-01': {
    sentence:
      'Eine Kurve hat eine oder zwei Achsen, von 1 an nummeriert, über Dimensionen ihrer Gruppe.',
    remedy:
      'Korrigieren Sie die Achsen der Kurve: eine oder zwei, von 1 an nummeriert, über Dimensionen ihrer Gruppe.',
    details: {
      '{} axes': '{} Achsen',
      'number {} follows {}': 'Nummer {} folgt auf {}',
      'dimension {} is not in the group of curve {}':
        'Dimension {} ist nicht in der Gruppe der Kurve {code}',
    },
  },
  'DIM-02': {
    sentence: 'Ein Wert auf einer Achse ist ein Wert der Dimension dieser Achse.',
    remedy: 'Ersetzen Sie den Wert durch einen der Dimension dieser Achse.',
    details: {
      '{} belongs to dimension {}, the axis to {}':
        '{code} gehört zu Dimension {}, die Achse zu {}',
    },
  },
  'DIM-03': {
    sentence:
      'Eine Zelle gehört zu ihrer Kurve: der Zeilenwert ist von Achse 1 und der Spaltenwert von Achse 2; einen Spaltenwert gibt es genau dann, wenn es eine Achse 2 gibt.',
    remedy: 'Korrigieren Sie den Zeilen- oder Spaltenwert der Zelle, oder löschen Sie die Zelle.',
    details: {
      'row on axis {} of curve {}, column on axis {} of curve {}':
        'Zeile auf Achse {} der Kurve {}, Spalte auf Achse {} der Kurve {}',
    },
  },
  'DIM-04': {
    sentence:
      'Die Anteile einer Größenkurve ergeben zusammen 100, die Stückzahlen eines Prepacks die Stück gesamt.',
    remedy:
      'Korrigieren Sie die Anteile oder Stückzahlen der Zellen, oder die Stück gesamt der Kurve.',
    details: {
      'the shares add up to {}': 'die Summe der Anteile ist {}',
      'totalUnits is {}, the cells add up to {}': 'Stück gesamt {}, die Summe der Zellen ist {}',
    },
  },
  'REF-01': {
    sentence: 'Die Raten einer Zahlungsbedingung ergeben zusammen 100 Prozent.',
    remedy: 'Korrigieren Sie die Prozentsätze der Raten.',
    details: { 'the instalments make {} percent': 'die Raten ergeben {} Prozent' },
  },
  'REF-02': {
    sentence:
      'Das Volumen eines Kartons ist Länge × Breite × Höhe; Stück je Karton = Innenpackungen × Stück je Innenpackung.',
    remedy: 'Korrigieren Sie die Maße oder das Volumen des Kartons, oder die Stück je Karton.',
    details: {
      'volumeCbm is {}, the sides give {}': 'Volumen {} m³, aus den Seiten folgt {} m³',
      'unitsPerCarton is {}, the inner packs give {}':
        'Stück je Karton {}, aus den Innenpackungen folgt {}',
    },
  },
  'REF-03': {
    sentence: 'Ein Einführungszeitraum oder eine Kollektion endet nach dem Beginn.',
    remedy: 'Korrigieren Sie das Startdatum oder das Enddatum.',
    details: { 'starts {}, ends {}': 'beginnt {}, endet {}' },
  },
}
