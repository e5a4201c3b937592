{{- define "perceptron.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end -}}
{{- end }}

{{- define "perceptron.fullname" -}}
{{- include "perceptron.name" . | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "perceptron.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "perceptron.labels" -}}
{{ include "perceptron.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "perceptron.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* A value of a .properties file. Helm reads numbers as floats, which print large ones with an exponent. */}}
{{- define "perceptron.value" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) -}}
{{ int64 . }}
{{- else -}}
{{ toString . | replace "\\" "\\\\" | replace "\n" "\\n" }}
{{- end -}}
{{- end }}

{{/* engine.properties: what the pods need, then config, of which later lines win. */}}
{{- define "perceptron.properties" -}}
{{- $names := list (include "perceptron.fullname" .) (printf "%s.%s" (include "perceptron.fullname" .) .Release.Namespace) }}
{{- $names = append $names (printf "%s.%s.svc" (include "perceptron.fullname" .) .Release.Namespace) }}
{{- if .Values.replica.enabled }}
{{- $names = append $names (printf "%s-replica" (include "perceptron.fullname" .)) }}
{{- $names = append $names (printf "%s-replica.%s" (include "perceptron.fullname" .) .Release.Namespace) }}
{{- $names = append $names (printf "%s-replica.%s.svc" (include "perceptron.fullname" .) .Release.Namespace) }}
{{- end }}
{{- $settings := dict "http.host" "0.0.0.0" "http.port" .Values.http.port "http.insecure" true }}
{{- $_ := set $settings "http.names" (join "," (concat $names .Values.http.names)) }}
{{- range $key, $value := merge (deepCopy .Values.config) $settings }}
{{ $key }}={{ include "perceptron.value" $value }}
{{- end }}
{{- end }}

{{- define "perceptron.podMetadata" -}}
annotations:
  # a change of the settings starts the pods again
  checksum/config: {{ include "perceptron.properties" . | sha256sum }}
  {{- with .Values.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
labels:
  {{- include "perceptron.selector" . | nindent 2 }}
  {{- with .Values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* Of every pod; the arguments are the root and the component. */}}
{{- define "perceptron.podSpec" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
automountServiceAccountToken: false
# variables of a Service would look like settings
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "perceptron.selector" $root | nindent 8 }}
        app.kubernetes.io/component: {{ $component }}
{{- end }}

{{/* Of every container; the arguments are the root and the options of the JVM. */}}
{{- define "perceptron.container" -}}
{{- $root := index . 0 -}}
image: {{ include "perceptron.image" $root }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
env:
  - name: PERCEPTRON_OPTS
    value: {{ index . 1 | quote }}
  - name: PERCEPTRON_DATA_DIR
    value: /var/lib/perceptron
  - name: POD_NAME
    valueFrom:
      fieldRef:
        fieldPath: metadata.name
{{- with $root.Values.existingSecret }}
envFrom:
  - secretRef:
      name: {{ . }}
{{- end }}
volumeMounts:
  - name: config
    mountPath: /etc/perceptron/config
    readOnly: true
  - name: data
    mountPath: /var/lib/perceptron
  # libraries unpack native code there
  - name: tmp
    mountPath: /tmp
  {{- if $root.Values.filesSecret }}
  - name: files
    mountPath: /etc/perceptron/files
    readOnly: true
  {{- end }}
{{- end }}

{{/* Ports and probes of what serves HTTP. */}}
{{- define "perceptron.http" -}}
ports:
  - name: http
    containerPort: {{ .Values.http.port }}
startupProbe:
  httpGet:
    path: /startupz
    port: http
    scheme: {{ .Values.http.scheme }}
  periodSeconds: 5
  # restoring a large model from the changelog takes minutes
  failureThreshold: 360
readinessProbe:
  httpGet:
    path: /readyz
    port: http
    scheme: {{ .Values.http.scheme }}
  periodSeconds: 5
livenessProbe:
  httpGet:
    path: /healthz
    port: http
    scheme: {{ .Values.http.scheme }}
  periodSeconds: 10
  failureThreshold: 6
{{- end }}

{{- define "perceptron.volumes" -}}
- name: config
  configMap:
    name: {{ include "perceptron.fullname" . }}
- name: tmp
  emptyDir: {}
{{- with .Values.filesSecret }}
- name: files
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
{{- end }}
