/** `npm run test:matrix`: the packed tarball in small projects outside the repository. Arguments select cases by name. */
import { rm } from 'node:fs/promises'
import { CASES } from './cases.ts'
import { Project, packTarball } from './project.ts'
import { startServer } from './server.ts'

const words = process.argv.slice(2)
const chosen = Object.entries(CASES).filter(([name]) => words.length === 0 || words.some((word) => name.includes(word)))
if (chosen.length === 0) {
  console.error(`No case has one of these words; there are: ${Object.keys(CASES).join('; ')}.`)
  process.exit(2)
}

const base = await Project.create()
const { tarball, size, unpackedSize } = await packTarball(base.folder)
console.log(`packed: ${(size / 1e6).toFixed(2)} MB, unpacked ${(unpackedSize / 1e6).toFixed(2)} MB`)
const server = await startServer(base.folder)
let failed = 0
for (const [name, run] of chosen) {
  const startedAt = performance.now()
  const project = await Project.create()
  const seconds = () => ((performance.now() - startedAt) / 1_000).toFixed(0)
  try {
    const found = await run(project, { millrace: `file:${tarball}`, serverUrl: server.url })
    console.log(`ok      ${name} (${seconds()} s): ${found}`)
  } catch (error) {
    failed += 1
    console.log(`FAILED  ${name} (${seconds()} s): ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    await project.remove()
  }
}
await server.close()
await rm(base.folder, { recursive: true, force: true })
console.log(`matrix: ${chosen.length - failed} of ${chosen.length} passed`)
process.exitCode = failed === 0 ? 0 : 1
