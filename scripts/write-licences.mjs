// Writes the licences of everything that is inlined in dist/ into one file of the package. What was inlined, the bundlers say.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const LICENCES_FILE = 'THIRD-PARTY-LICENSES.txt'
/** Parts of these reach dist/ without being named as an input: helpers of the bundlers, and the style sheet's base. */
const ADDED_BY_TOOLS = ['esbuild', 'rolldown', 'tailwindcss', 'vite']
/** Packages without a licence file of their own, and the one of the same repository whose file holds for them. */
const SAME_LICENCE_AS = {
  '@modelcontextprotocol/core-internal': '@modelcontextprotocol/core',
  '@xterm/addon-serialize': '@xterm/xterm',
  '@xterm/headless': '@xterm/xterm',
}
/** Programs that a package has compiled into a file of its own, which no bundler sees. */
const COMPILED_INTO = { 'node_modules/jq-wasm': ['jq', 'oniguruma', 'decnumber'] }
const NO_NOTICE_NEEDED = { Unlicense: 'Released into the public domain, see https://unlicense.org' }
const LICENCE_NAME = /^(licen[cs]e|copying|notice)([.-].*)?$/i
/** From here on a tool lists what it inlines itself, nothing of which reaches dist/. */
const OF_ITS_OWN_PARTS = /^#+ Licenses of bundled dependencies/m
/** A folder of a package in a path, also of one inside another package. */
const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/

/** The packages that these files belong to: their folders below node_modules, as far as the path names them. */
export function packagesOf(files) {
  const folders = files.flatMap((path) => {
    const folder = PACKAGE_FOLDER.exec(path)?.[0]
    return folder === undefined ? [] : [folder.slice(folder.indexOf('node_modules/'))]
  })
  return [...new Set(folders)].sort()
}

export function writeLicences(root, dist) {
  const folders = new Set(['.bundle.packages', '.web.packages'].flatMap((name) => linesOf(join(dist, name))))
  if (existsSync(join(root, 'web'))) for (const name of ADDED_BY_TOOLS) folders.add(`node_modules/${name}`)
  for (const folder of [...folders])
    for (const name of COMPILED_INTO[folder] ?? []) folders.add(`${folder}/node_modules/${name}`)
  const packages = [...folders].map((folder) => readPackage(root, folder))
  const text = describe(packages.sort((a, b) => a.title.localeCompare(b.title, 'en')))
  const file = join(dist, LICENCES_FILE)
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
}

function linesOf(file) {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}

function readPackage(root, folder) {
  if (!existsSync(join(root, folder))) return readInlined(root, folder)
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const text =
    licenceText(join(root, folder)) || sharedLicence(root, name) || NO_NOTICE_NEEDED[license] || keptText(root, name)
  if (typeof license === 'string' && text) return { title: `${name} ${version}`, license, text }
  throw new Error(`${folder} is inlined in dist/ but has no licence: nobody may be given a copy of it`)
}

/** A package that another one has inlined before us: not installed, so its licence is kept beside this script. */
function readInlined(root, folder) {
  const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(folder)
  const shared = sharedLicence(root, name)
  const file = join(root, 'scripts/licences', `${name}.txt`)
  if (!shared && !existsSync(file)) throw new Error(`${name} is inlined in dist/ by another package; add ${file}`)
  const version = folder.split(`/${name}@`)[1]?.split(/[_/]/)[0] ?? ''
  const [license, ...text] = shared ? ['Apache-2.0', shared] : readFileSync(file, 'utf8').trim().split('\n')
  return { title: `${name} ${version}`.trim(), license, text: text.join('\n').trim() }
}

/** Of a package that names its licence and brings no text of it. */
function keptText(root, name) {
  const file = join(root, 'scripts/licences', `${name}.txt`)
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').slice(1).join('\n').trim() : ''
}

function sharedLicence(root, name) {
  return name in SAME_LICENCE_AS ? licenceText(join(root, 'node_modules', SAME_LICENCE_AS[name])) : ''
}

function licenceText(folder) {
  const files = readdirSync(folder).filter((file) => LICENCE_NAME.test(file))
  return files.map((file) => readFileSync(join(folder, file), 'utf8').split(OF_ITS_OWN_PARTS)[0].trim()).join('\n\n')
}

function describe(packages) {
  const head = 'ao contains the following packages, in whole or in part. Their licences:\n'
  const parts = packages.map(({ title, license, text }) => `${'-'.repeat(80)}\n${title} (${license})\n\n${text}\n`)
  return [head, ...parts].join('\n')
}
