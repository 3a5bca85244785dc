/** Entry point of `npm start`. */
import { processEnvironment } from './base/config/config.ts'
import { runServer } from './ops/run-server.ts'

void runServer(processEnvironment())
