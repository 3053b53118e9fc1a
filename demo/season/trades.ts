/** The local data of a producing country for its companies. Every name is invented. */
export interface Trade {
  readonly countryCode: string
  readonly currency: string
  readonly cities: readonly string[]
  /** The region and the postal code of each city. */
  readonly regions: readonly string[]
  readonly postalCodes: readonly string[]
  /** Street names, with `#` for the house number. */
  readonly streets: readonly string[]
  readonly timezone: string
  readonly languageCode: string
  readonly dialingCode: string
  readonly firstWords: readonly string[]
  readonly lastWords: readonly string[]
  readonly givenNames: readonly string[]
  readonly familyNames: readonly string[]
  /** The names in the country's script, if it is not Latin. */
  readonly native?: NativeNames
  /** Codes of the ports of departure. */
  readonly port: string
  readonly airport: string
  readonly incotermPlace: string
  /** Whether it ships to the European warehouses by road. */
  readonly byRoad: boolean
}

interface NativeNames {
  readonly firstWords: readonly string[]
  readonly givenNames: readonly string[]
  readonly familyNames: readonly string[]
  /** The form of a person's full name. */
  readonly fullName: (givenName: string, familyName: string) => string
}

/** In the order of suppliers, so that a small season has several currencies. */
export const trades: readonly Trade[] = [
  {
    countryCode: 'TR',
    currency: 'TRY',
    cities: ['İzmir', 'Denizli', 'Bursa', 'Çorlu'],
    regions: ['İzmir', 'Denizli', 'Bursa', 'Tekirdağ'],
    postalCodes: ['35410', '20330', '16159', '59850'],
    streets: [
      'Atatürk Organize Sanayi Bölgesi, 10007. Sokak No: #',
      'Güneşli Caddesi No: #, Kat 2',
      'İplikçi Sokağı #/A',
    ],
    timezone: 'Europe/Istanbul',
    languageCode: 'tr',
    dialingCode: '+90',
    firstWords: ['Yıldızhan', 'Demirkapı', 'Egesu', 'Karaağaç', 'Mavişehir', 'Özgüneş'],
    lastWords: ['Tekstil', 'Konfeksiyon', 'Örme', 'Giyim'],
    givenNames: ['Elif', 'Mehmet', 'Zeynep', 'Emre', 'Ayşe'],
    familyNames: ['Yılmaz', 'Demir', 'Şahin', 'Çelik', 'Aydın'],
    port: 'TRIZM',
    airport: 'IST',
    incotermPlace: 'İzmir',
    byRoad: true,
  },
  {
    countryCode: 'IN',
    currency: 'INR',
    cities: ['Tiruppur', 'Bengaluru', 'Ludhiana', 'Jaipur'],
    regions: ['Tamil Nadu', 'Karnataka', 'Punjab', 'Rajasthan'],
    postalCodes: ['641604', '560058', '141003', '302022'],
    streets: [
      'Plot #, SIDCO Industrial Estate',
      '#, Weavers’ Colony, 2nd Cross',
      'Shed #, opp. Textile Bhavan',
    ],
    timezone: 'Asia/Kolkata',
    languageCode: 'en',
    dialingCode: '+91',
    firstWords: ['Sundarvan', 'Kaverilok', 'Meenalaya', 'Neelgiri Loom', 'Rajwada', 'Vaigai'],
    lastWords: ['Garments', 'Knitwear', 'Textiles', 'Exports'],
    givenNames: ['Priya', 'Arjun', 'Lakshmi', 'Rahul', 'Anjali'],
    familyNames: ['Iyer', 'Sharma', 'Nair', 'Patel', 'Krishnan'],
    port: 'INNSA',
    airport: 'BOM',
    incotermPlace: 'Nhava Sheva',
    byRoad: false,
  },
  {
    countryCode: 'CN',
    currency: 'CNY',
    cities: ['Ningbo', 'Dongguan', 'Hangzhou', 'Qingdao'],
    regions: ['浙江省', '广东省', '浙江省', '山东省'],
    postalCodes: ['315100', '523000', '310000', '266000'],
    streets: ['中山东路 # 号', '工业园三路 # 号 B 座 2 楼', '望江街道 # 号'],
    timezone: 'Asia/Shanghai',
    languageCode: 'zh',
    dialingCode: '+86',
    firstWords: ['Hengyun', 'Jinluo', 'Ruiqiao', 'Mingsha', 'Yuhuan', 'Lanxi'],
    lastWords: ['Apparel', 'Garment Factory', 'Knitting', 'Clothing'],
    givenNames: ['Wei', 'Li Na', 'Jun', 'Xiaomei', 'Hao'],
    familyNames: ['Chen', 'Wang', 'Lin', 'Zhou', 'Huang'],
    native: {
      firstWords: ['恒云', '锦罗', '瑞桥', '明纱', '玉环', '兰溪'],
      givenNames: ['伟', '丽娜', '俊', '晓梅', '浩'],
      familyNames: ['陈', '王', '林', '周', '黄'],
      fullName: (givenName, familyName) => `${familyName}${givenName}`,
    },
    port: 'CNSHA',
    airport: 'PVG',
    incotermPlace: 'Shanghai',
    byRoad: false,
  },
  {
    countryCode: 'PT',
    currency: 'EUR',
    cities: ['Guimarães', 'Vila Nova de Famalicão', 'Braga', 'Santo Tirso'],
    regions: ['Braga', 'Braga', 'Braga', 'Porto'],
    postalCodes: ['4800-023', '4760-114', '4700-319', '4780-370'],
    streets: [
      'Rua da Tecelagem, n.º #',
      'Zona Industrial de São João, lote #',
      'Travessa do Pão Quente, # – r/c',
    ],
    timezone: 'Europe/Lisbon',
    languageCode: 'pt',
    dialingCode: '+351',
    firstWords: ['Ribeiro', 'Azevedo', 'Teixeira', 'Moreira', 'Valdouro', 'Serralves'],
    lastWords: ['& Irmãos', 'Confeções', 'Malhas', 'Têxteis'],
    givenNames: ['Inês', 'João', 'Marta', 'Rui', 'Catarina'],
    familyNames: ['Sousa', 'Pinto', 'Barros', 'Carvalho', 'Lopes'],
    port: 'PTLEI',
    airport: 'OPO',
    incotermPlace: 'Leixões',
    byRoad: true,
  },
  {
    countryCode: 'VN',
    currency: 'USD',
    cities: ['Bình Dương', 'Nam Định', 'Đà Nẵng', 'Long An'],
    regions: ['Bình Dương', 'Nam Định', 'Đà Nẵng', 'Long An'],
    postalCodes: ['75000', '07100', '50000', '82000'],
    streets: [
      'Số #, đường Nguyễn Văn Cừ',
      'Lô #, Khu công nghiệp Sóng Thần',
      '# Lê Lợi, phường Thạch Thang',
    ],
    timezone: 'Asia/Ho_Chi_Minh',
    languageCode: 'vi',
    dialingCode: '+84',
    firstWords: ['Thanh Lam', 'Phú Vân', 'An Hòa', 'Sông Tre', 'Minh Cẩm', 'Tân Sen'],
    lastWords: ['Garment', 'Apparel', 'Knit', 'Textile'],
    givenNames: ['Lan', 'Minh', 'Hương', 'Tuấn', 'Mai'],
    familyNames: ['Nguyễn', 'Trần', 'Lê', 'Phạm', 'Vũ'],
    port: 'VNSGN',
    airport: 'SGN',
    incotermPlace: 'Ho Chi Minh City',
    byRoad: false,
  },
  {
    countryCode: 'GB',
    currency: 'GBP',
    cities: ['Leicester', 'Hawick', 'Bradford', 'Macclesfield'],
    regions: ['Leicestershire', 'Scottish Borders', 'West Yorkshire', 'Cheshire'],
    postalCodes: ['LE4 9HA', 'TD9 7AX', 'BD1 4RN', 'SK11 7QJ'],
    streets: ['Unit #, St Mary’s Mill', '# Weavers’ Row', '# Teviot Crescent'],
    timezone: 'Europe/London',
    languageCode: 'en',
    dialingCode: '+44',
    firstWords: ['Ashby & Crane', 'Teviotside', 'Harrow Mill', 'Penistone', 'Kirkgate', 'Loxley'],
    lastWords: ['Knitters', 'Clothing', 'Outfitters', 'Manufacturing'],
    givenNames: ['Rowan', 'Imogen', 'Callum', 'Priti', 'Alasdair'],
    familyNames: ['Hargreaves', 'Murray', 'Okafor', 'Whitfield', 'Sykes'],
    port: 'GBFXT',
    airport: 'LHR',
    incotermPlace: 'Felixstowe',
    byRoad: true,
  },
  {
    countryCode: 'BD',
    currency: 'USD',
    cities: ['Gazipur', 'Narayanganj', 'Savar', 'Chattogram'],
    regions: ['ঢাকা', 'ঢাকা', 'ঢাকা', 'চট্টগ্রাম'],
    postalCodes: ['1704', '1400', '1340', '4000'],
    streets: ['প্লট #, বিসিক শিল্প নগরী', 'Holding #, Mill Gate Lane', '#/ক, স্টেশন রোড'],
    timezone: 'Asia/Dhaka',
    languageCode: 'bn',
    dialingCode: '+880',
    firstWords: ['Padmavati', 'Shaplabon', 'Meghdoot', 'Kornofuli', 'Sonargram', 'Titash'],
    lastWords: ['Apparels', 'Knit Composite', 'Fashions', 'Garments'],
    givenNames: ['Farhana', 'Rafiq', 'Nusrat', 'Tanvir', 'Shirin'],
    familyNames: ['Rahman', 'Hossain', 'Akter', 'Chowdhury', 'Karim'],
    native: {
      firstWords: ['পদ্মাবতী', 'শাপলাবন', 'মেঘদূত', 'কর্ণফুলী', 'সোনারগ্রাম', 'তিতাস'],
      givenNames: ['ফারহানা', 'রফিক', 'নুসরাত', 'তানভীর', 'শিরিন'],
      familyNames: ['রহমান', 'হোসেন', 'আক্তার', 'চৌধুরী', 'করিম'],
      fullName: (givenName, familyName) => `${givenName} ${familyName}`,
    },
    port: 'BDCGP',
    airport: 'DAC',
    incotermPlace: 'Chattogram',
    byRoad: false,
  },
  {
    countryCode: 'IT',
    currency: 'EUR',
    cities: ['Carpi', 'Biella', 'Prato', 'Como'],
    regions: ['Emilia-Romagna', 'Piemonte', 'Toscana', 'Lombardia'],
    postalCodes: ['41012', '13900', '59100', '22100'],
    streets: ['Via dell’Artigianato, #', 'Località Ca’ Bianca, #/bis', 'Viale della Repubblica, #'],
    timezone: 'Europe/Rome',
    languageCode: 'it',
    dialingCode: '+39',
    firstWords: [
      'Ferrantini',
      'Belcolle',
      'Lanificio Rivo',
      'Sartori Nuova',
      'Monteguelfo',
      'Olona',
    ],
    lastWords: ['Confezioni', 'Maglieria', 'Tessuti', 'Abbigliamento'],
    givenNames: ['Giulia', 'Marco', 'Chiara', 'Paolo', 'Elena'],
    familyNames: ['Rossetti', 'Conti', 'Marchesi', 'Galli', 'Fontana'],
    port: 'ITGOA',
    airport: 'MXP',
    incotermPlace: 'Genova',
    byRoad: true,
  },
]

/** A forwarder other than the story's. */
export interface Forwarder {
  readonly slug: string
  readonly name: string
  readonly shortName: string
  readonly countryCode: string
  readonly currency: string
  readonly invoicePrefix: string
  /** Value added tax on its invoices. */
  readonly taxPercent: number
}

export const forwarders: readonly Forwarder[] = [
  {
    slug: 'pacific-gate-forwarding',
    name: 'Pacific Gate Forwarding',
    shortName: 'Pacific Gate',
    countryCode: 'US',
    currency: 'USD',
    invoicePrefix: 'PGF',
    taxPercent: 0,
  },
  {
    slug: 'maas-en-waal-expeditie',
    name: 'Maas & Waal Expeditie',
    shortName: 'Maas & Waal',
    countryCode: 'NL',
    currency: 'EUR',
    invoicePrefix: 'MW',
    taxPercent: 0,
  },
  {
    slug: 'orwell-quay-logistics',
    name: 'Orwell Quay Logistics',
    shortName: 'Orwell Quay',
    countryCode: 'GB',
    currency: 'GBP',
    invoicePrefix: 'OQL',
    taxPercent: 20,
  },
]

/** The rate of a unit in thousandths of a dollar, and its range over the season. */
export const dollarRates: { readonly [currency: string]: { base: number; spread: number } } = {
  USD: { base: 1000, spread: 0 },
  EUR: { base: 1062, spread: 60 },
  GBP: { base: 1248, spread: 60 },
  CNY: { base: 138, spread: 3 },
  TRY: { base: 26, spread: 3 },
  INR: { base: 12, spread: 0 },
}

/** Ships that call at the season's ports. */
export const vessels: readonly string[] = [
  ...['Atlantic Heron', 'Atlantic Petrel', 'Øresund Tern', 'Øresund Plover', 'Baltic Curlew'],
  ...['Northern Sandpiper', 'Levant Osprey', 'Coral Shearwater', 'Pacific Dunlin', 'Indus Kite'],
]
