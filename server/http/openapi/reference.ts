/** API reference as one HTML page without scripts or external files. */
import { escapeHtml } from '../requests/error-page.ts'
import { asObject, type JsonObject, listAt, objectAt, text } from './json.ts'
import { schemaHtml } from './reference-schema.ts'

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d9dde3, #2b3038); --soft: light-dark(#5b6470, #9aa4b2);
  --ground: light-dark(#f7f8fa, #0d0f12); --card: light-dark(#fff, #15181d); --link: light-dark(#1a66c2, #7db5ff) }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: var(--ground); color: light-dark(#181b20, #e8ebf0) }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 6rem }
h1 { margin: 0 } h2 { margin: 3rem 0 .5rem; text-transform: capitalize } h3 { font-size: 1rem; margin: 1rem 0 .25rem }
a { color: var(--link) } p { margin: .25rem 0 1rem } .soft { color: var(--soft) }
details.operation { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0 }
details.operation > summary { cursor: pointer; padding: .6rem .9rem; display: flex; gap: .75rem; flex-wrap: wrap; align-items: baseline }
details.operation > div { padding: 0 .9rem 1rem; border-top: 1px solid var(--line); overflow-x: auto }
.method { font: 600 .8rem ui-monospace, monospace; min-width: 4em; color: var(--link); text-transform: uppercase }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere }
ul.fields { list-style: none; margin: 0; padding-left: 1rem; border-left: 1px solid var(--line) }
ul.fields li { margin: .15rem 0 } .fields details > summary { cursor: pointer }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }`

export function referencePage(document: JsonObject, nonce: string): string {
  const components = objectAt(objectAt(document, 'components'), 'schemas')
  const operations = operationsOf(document)
  const tags = listAt(document, 'tags').map(asObject)
  const sections = tags.map((tag) => {
    const name = text(tag.name)
    const own = operations.filter(({ operation }) => listAt(operation, 'tags').includes(name))
    return `<section><h2>${escapeHtml(name)}</h2><p class="soft">${prose(text(tag.description))}</p>
      ${own.map((one) => operationHtml(one, components)).join('\n')}</section>`
  })
  const info = objectAt(document, 'info')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(text(info.title))} API</title><style nonce="${nonce}">${STYLE}</style></head><body><main>
<h1>${escapeHtml(text(info.title))} API</h1>
<p class="soft">Version ${escapeHtml(text(info.version))}. For programs: <a href="openapi.json">openapi.json</a>.
If the server has a token, send <code>Authorization: Bearer …</code>.</p>
${sections.join('\n')}</main></body></html>`
}

interface DescribedOperation {
  readonly method: string
  readonly path: string
  readonly operation: JsonObject
}

function operationsOf(document: JsonObject): readonly DescribedOperation[] {
  return Object.entries(objectAt(document, 'paths')).flatMap(([path, methods]) =>
    Object.entries(asObject(methods)).map(([method, operation]) => ({ method, path, operation: asObject(operation) })),
  )
}

function operationHtml({ method, path, operation }: DescribedOperation, components: JsonObject): string {
  const parameters = listAt(operation, 'parameters').map(asObject)
  const body = contentSchema(objectAt(operation, 'requestBody'))
  const responses = Object.entries(objectAt(operation, 'responses'))
  return `<details class="operation" id="${escapeHtml(text(operation.operationId))}">
<summary><span class="method">${method}</span> <code>${escapeHtml(path)}</code> <span>${prose(text(operation.summary))}</span></summary><div>
${operation.description === undefined ? '' : `<p>${prose(text(operation.description))}</p>`}
${parameters.length === 0 ? '' : `<h3>Parameters</h3><ul class="fields">${parameters.map((one) => parameterHtml(one, components)).join('')}</ul>`}
${body ? `<h3>Body</h3>${schemaHtml(body, components)}` : ''}
${responses.map(([code, response]) => responseHtml(code, asObject(response), components)).join('\n')}</div></details>`
}

function parameterHtml(parameter: JsonObject, components: JsonObject): string {
  const schema = contentSchema(parameter) ?? objectAt(parameter, 'schema')
  const where = `<span class="soft">in the ${parameter.in === 'path' ? 'path' : 'query'}. ${prose(text(parameter.description))}</span>`
  return `<li><code>${escapeHtml(text(parameter.name))}</code>${parameter.required === true ? '' : ' <span class="soft">optional</span>'} ${where} ${schemaHtml(schema, components)}</li>`
}

function responseHtml(code: string, response: JsonObject, components: JsonObject): string {
  const schema = contentSchema(response)
  return `<h3>${escapeHtml(code)} <span class="soft">${prose(text(response.description))}</span></h3>${schema ? schemaHtml(schema, components) : ''}`
}

/** Text between backticks becomes code. */
function prose(markup: string): string {
  return escapeHtml(markup).replace(/`([^`]*)`/g, '<code>$1</code>')
}

function contentSchema(holder: JsonObject): JsonObject | null {
  const content = objectAt(objectAt(holder, 'content'), 'application/json')
  return content.schema === undefined ? null : asObject(content.schema)
}
