import { Random } from './random.ts'

/**
 * The content of free text fields: often nothing, usually a sentence, sometimes a page; in English
 * or in the supplier's language, with the punctuation of word processors and phones.
 */
export interface Wording {
  /** One sentence. */
  sentence(languageCode: string): string
  /** Several sentences in paragraphs. */
  letter(languageCode: string): string
  /** Null in most records, a sentence in some, a letter in a few. */
  remark(languageCode: string): string | null
}

/**
 * Texts have a separate random generator, so that identities and figures do not depend on the
 * number of texts.
 */
export const createWording = (seed: string): Wording => {
  const random = new Random(`${seed}/wording`)
  const sentence = (languageCode: string): string => {
    const own = sentences[languageCode]
    const text = random.pick(own === undefined || random.oneIn(2) ? english : own)
    return random.oneIn(emojiEvery) ? `${text} ${random.pick(emoji)}` : text
  }
  const letter = (languageCode: string): string =>
    Array.from({ length: random.between(2, 4) }, () =>
      Array.from({ length: random.between(2, 4) }, () => sentence(languageCode)).join(' '),
    ).join('\n\n')
  return {
    sentence,
    letter,
    remark: (languageCode) => {
      const kind = random.below(100)
      if (kind < nullPercent) return null
      return kind < nullPercent + sentencePercent ? sentence(languageCode) : letter(languageCode)
    },
  }
}

const nullPercent = 70
const sentencePercent = 26

const emojiEvery = 25
const emoji = ['👍', '🙏', '🚢', '⚠️', '🧵', '👩🏽‍🏭', '🇵🇹']

const english = [
  'Please don’t ship before the lab dip is signed off.',
  'Shade band “B” only — see the buyer’s e-mail.',
  'Hangtags arrive separately; the mill’s labels stay inside the collar.',
  'Same trims as last season, except the zip puller (now 5 mm, antique brass).',
  'Split delivery agreed: ½ in week 14, the rest when the dye house reopens.',
  'Carton marks on 2 sides, max. 15 kg, no staples.',
  'Price includes the second wash, but not the re‑test.',
  'Ask Élodie or Jürgen before changing the care label: the French text was wrong.',
]

/** By the supplier's language. Suppliers that write in English are not listed. */
const sentences: { readonly [languageCode: string]: readonly string[] } = {
  tr: [
    'Kumaş boyahaneden geç çıktı; kesim salı günü başlıyor.',
    'Düğmeler gümrükte bekliyor, yedek renk için onayınızı rica ederiz.',
    'Ölçü tablosundaki omuz değeri güncellendi — lütfen kontrol edin.',
    'Paketleme, müşterinin son talimatına göre yapılacak.',
  ],
  zh: [
    '面料已到厂，预计下周一开裁。',
    '请确认主唛位置，样衣与工艺单不一致。',
    '大货缸差在可接受范围内，附照片供参考。',
    '因节假日停工三天，船期顺延，请知悉。',
  ],
  pt: [
    'A malha encolheu 3 % na lavagem; já corrigimos o molde.',
    'Aguardamos a confirmação das etiquetas de composição.',
    'Expedição parcial possível, se não houver alteração de cor.',
    'Botões em falta: o fornecedor só entrega na próxima terça‑feira.',
  ],
  vi: [
    'Vải về trễ hai ngày, xưởng sẽ tăng ca để kịp ngày xuất.',
    'Đề nghị xác nhận lại màu chỉ ở cổ áo.',
    'Thùng carton đã đổi sang loại năm lớp theo yêu cầu.',
    'Hàng mẫu đã gửi chuyển phát nhanh sáng nay.',
  ],
  bn: [
    'কাপড় কারখানায় পৌঁছেছে, আগামী রবিবার কাটা শুরু হবে।',
    'অনুগ্রহ করে লেবেলের অবস্থান নিশ্চিত করুন।',
    'বৃষ্টির কারণে চালান দুই দিন দেরি হতে পারে।',
  ],
  it: [
    'Il tessuto è più pesante del previsto: 255 g/m² anziché 240.',
    'L’accessorio in ottone non è più disponibile, proponiamo l’alternativa n° 7.',
    'Consegna confermata, salvo ritardi della tintoria.',
    'Controllare l’etichetta: manca la “è” nella composizione.',
  ],
}
