export { type Column, columnsOf, jsonKinds, titledReferences, withTitles } from './column.ts'
export { csvHeader, csvRow, exactCsv } from './csv.ts'
export { type RecordBatch, type TableFormatName, tableFormats } from './encode.ts'
export { sheetRowsMax } from './xlsx.ts'
